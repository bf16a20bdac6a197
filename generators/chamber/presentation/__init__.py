"""What players are shown: scenes of chambers, and the words that go with them."""
