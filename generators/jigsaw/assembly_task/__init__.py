"""The assembly tasks: instances, replies, prompts, and the episode."""
