"""Search labyrinths exactly, and sample boards of a wanted depth."""
