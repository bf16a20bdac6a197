"""The base classes of tasks and episodes, and what every family shares."""
