"""The stages of a build, each a kind of job whose shard is a pure function of its key."""
