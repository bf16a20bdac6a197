"""Plans to a treasure: instances, replies, the referee and the outcome."""
