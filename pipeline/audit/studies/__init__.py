"""Floor studies: what can be won without looking, with more puzzles and effort than a build spends.

study_configs    builds puzzles of the task under a separate seed, and studies them
floor_study      the audit's players with more effort, tuned scripts, and boosted trees
Records are those of facelet.pipeline.dataset.floor_studies.
"""
