"""Taking: prediction files in, one prediction after the other out, each with the row it answers.

    files -> formats -> joining -> contradictions -> intake

A file is data from a stranger: sizes are bounded, a broken record costs that record only, and
nothing that a file claims about correctness is believed.
"""
