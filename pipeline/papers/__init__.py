"""Papers: a room for each, with all that only that paper knows, and what is the same for all.

A room is a folder here whose `PAPER` says what the paper is and what it prints; nothing else has to
know it (facelet.pipeline.papers.paper_registry).
"""
