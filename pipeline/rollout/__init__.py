"""The environment: any task's episodes, for any model, in a loop of ten lines.

    from facelet import environment

    play = environment.open_row(row)        # a row of load_dataset(...), rows(...) or find_row(...)
    while not play.done:
        play.reply(model(play.messages))    # the whole chat so far, pictures included
    play.outcome                            # status, strict, gold, answer, metrics
    play.transcript("my model")             # one line for `facelet score`

`run` does the same for many rows, resumes, and writes the transcripts. Single questions and
episodes of many turns are played alike; a task that is added is playable without a line here.
"""

from facelet.pipeline.rollout.chat_messages import FORMS, Form
from facelet.pipeline.rollout.rollout_runner import Answer, Tally, run
from facelet.pipeline.rollout.row_episode import CodeStep, Play, Toolset, open_row
from facelet.pipeline.rollout.row_opener import find_row, rows
from facelet.pipeline.rollout.streams.frontier_sampler import Frontier, Pools
from facelet.pipeline.rollout.streams.samplers import Curriculum, Mixture, Uniform

__all__ = [
    "FORMS",
    "Answer",
    "CodeStep",
    "Curriculum",
    "Form",
    "Frontier",
    "Mixture",
    "Play",
    "Pools",
    "Tally",
    "Toolset",
    "Uniform",
    "find_row",
    "open_row",
    "rows",
    "run",
]
