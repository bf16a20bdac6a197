"""Plan a way to a treasure: instances, replies, the referee, and the outcome."""
