"""Deformation questions (Inf-Bench): a start, a list of operations, a result, four options."""
