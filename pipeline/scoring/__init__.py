"""Scoring: prediction files in, replayed outcomes and figures with intervals out.

    taking    files -> predictions, each with the row it answers, and an account of every file
    judging   replay -> what became of each prediction, by model and split
    counting  figures with intervals, by difficulty and by pairs of models
    telling   results.json, results.md, items.parquet, tables for a terminal

A room imports those before it, never one behind it. A prediction file is data from a stranger:
sizes are bounded, a broken line costs that line only, and nothing that a file claims about
correctness is believed. Loads no renderer, no Hydra, no `datasets` and no network code.
"""
