"""Readers of the authors' item lines, one module for each of the paper's classes."""
