"""The one abstraction: tasks, episodes, and what every family shares."""
