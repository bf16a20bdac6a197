"""Scenes: records of what a picture shows, without Pillow."""
