"""Deep studies of what is won without looking: more puzzles and more effort than a build has.

puzzles   a build of the task under a seed of its own makes them: `studying`
players   those of the audit with more effort, lists that are climbed to (`climbing`), and
learners of boosted trees (`learning`)
records   facelet.pipeline.dataset.floor_studies; `replaying` plays the recorded player again
"""
