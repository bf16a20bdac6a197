"""What the pipeline knows of labyrinths alone."""
