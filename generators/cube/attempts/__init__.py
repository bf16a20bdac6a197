"""Episodes of attempts: Cube Bench's learning curve and recovery."""
