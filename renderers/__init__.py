"""How puzzles look: scenes in, pictures out. Knows no task and no label."""
