"""The Rubik's cube family: engine, certified distance, tasks."""
