"""What all games share: their base classes, params, columns and selection of puzzles."""
