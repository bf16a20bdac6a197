"""Generate maps: chambers with a shortest plan and its mistakes, built from knobs."""
