"""Maps: chambers with a shortest plan and its mistakes, made from knobs."""
