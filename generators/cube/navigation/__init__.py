"""CubeBench's navigation: a cube to act on, its observations, rewards, replies and prompts."""
