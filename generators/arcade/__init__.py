"""The forty multi-turn text games of EvolArena."""
