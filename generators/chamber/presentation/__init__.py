"""Show chambers to players: scenes, and the texts that go with them."""
