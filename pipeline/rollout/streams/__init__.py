"""Streams: endless rows by number, and the samplers that choose among their cells."""
