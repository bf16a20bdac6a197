"""How a dataset is made: a plan, shards, stages, a folder that belongs to one plan."""
