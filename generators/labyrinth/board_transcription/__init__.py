"""Tasks that read a board off a picture."""
