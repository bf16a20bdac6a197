"""Navigation: CubeBench's cube to act on, its observations and rewards, replies and prompts."""
