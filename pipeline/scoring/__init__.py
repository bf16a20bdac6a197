"""Score predictions: ingest files, grade by replay, aggregate figures, render results.

    ingest     files -> predictions, each joined to its row, and a report of every file
    grade      replay -> the outcome of each prediction, by model and split
    aggregate  figures with intervals, by difficulty and by pairs of models
    render     results.json, results.md, items.parquet, tables for a terminal

A package imports the packages before it, never one after it. A prediction file is untrusted data:
sizes are bounded, a broken line costs that line only, and no claim of a file about correctness is
believed. Scoring loads no renderer, no Hydra, no `datasets` and no network code.
"""
