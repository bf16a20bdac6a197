"""What only the cube needs: pools of certified states, proofs, pruning tables, the store."""
