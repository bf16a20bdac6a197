"""What the pipeline knows of games alone."""
