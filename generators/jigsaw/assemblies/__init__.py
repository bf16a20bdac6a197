"""Solve and validate assemblies, and measure how far wrong answers are off."""
