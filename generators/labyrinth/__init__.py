"""The shifting labyrinth of MARBLE (M-MAZE): engine, exact search, and tasks."""
