"""Telling: the figures as JSON, Markdown, tables for a terminal, and a table of items."""
