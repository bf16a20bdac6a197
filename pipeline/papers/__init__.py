"""One package for each paper, with all code that only that paper needs, and what papers share.

Each package exports `PAPER`, which states what the paper is and what it prints; no other code needs
to name it (facelet.pipeline.papers.paper_registry).
"""
