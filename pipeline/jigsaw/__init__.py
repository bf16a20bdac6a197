"""What the pipeline knows of jigsaw cubes alone."""
