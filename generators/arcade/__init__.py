"""The arcade: the forty multi-turn text games of EvolArena."""
