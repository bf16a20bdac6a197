"""Simulate what a step leads to, cell by cell, without knowing any kind of device."""
