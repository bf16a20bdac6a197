"""Facelet inside other tools. Each module needs the extra of its name, and nothing else."""
