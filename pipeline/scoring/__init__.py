"""Scoring: prediction files in, replayed outcomes and figures with intervals out.

    files -> formats -> joining -> ledger (replay) -> population -> figures -> report

A prediction file is data from a stranger: sizes are bounded, a broken line costs that line only,
and nothing that a file claims about correctness is believed. Loads no renderer, no Hydra, no
`datasets` and no network code.
"""
