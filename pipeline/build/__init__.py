"""Build datasets from a plan, in resumable shards and stages, in a folder of their own."""
