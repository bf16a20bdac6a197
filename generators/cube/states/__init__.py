"""Certified states: their record and columns, their pictures, and their text."""
