"""Scenes: records of what a picture shows, free of Pillow."""
