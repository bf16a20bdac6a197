"""Planning: how many rows an evaluation needs before a model is asked."""
