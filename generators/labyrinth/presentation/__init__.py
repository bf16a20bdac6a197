"""How a board is shown: the picture, and the rules and the state in words."""
