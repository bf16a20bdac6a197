"""What the pipeline knows of shapes alone."""
