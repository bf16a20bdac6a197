"""Play the episodes of any task with any model.

    from facelet import environment

    play = environment.open_row(row)        # a row of load_dataset(...), rows(...) or find_row(...)
    while not play.done:
        play.reply(model(play.messages))    # the whole chat so far, pictures included
    play.outcome                            # status, strict, gold, answer, metrics
    play.transcript("my model")             # one line for `facelet score`

`run` plays many rows, resumes, and writes the transcripts. Single questions and episodes of many
turns have the same interface, for every task.
"""

from facelet.pipeline.rollout.chat_messages import FORMS, Form
from facelet.pipeline.rollout.play_recorder import Answer
from facelet.pipeline.rollout.rollout_runner import run
from facelet.pipeline.rollout.rollout_tally import Tally
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
