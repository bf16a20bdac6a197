"""Public sets of cubes; see facelet.pipeline.set_audit.puzzle_sets."""
