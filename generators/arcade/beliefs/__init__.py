"""What a player may still hold possible, and the figures that follow from it."""
