"""How puzzles look: scene records in, pictures out. Knows no task and no label."""
