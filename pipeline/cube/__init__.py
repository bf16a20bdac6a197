"""The cube in the pipeline: pools of certified states, proofs, pruning tables, the store."""
