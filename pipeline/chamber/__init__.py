"""What the pipeline keeps for chambers alone: pools of maps, and proofs that plans are shortest."""
