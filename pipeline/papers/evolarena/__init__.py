"""EvolArena: the paper, its rows, and how its monitors parse replies."""

from facelet.pipeline.papers.evolarena.layouts import LAYOUTS
from facelet.pipeline.papers.paper import Paper, PaperSource
from facelet.pipeline.papers.reply_rules import CommandRule

PAPER = Paper(
    "evolarena",
    PaperSource(
        "EvolArena",
        "EvolArena: An Evolving Arena for Multi-Turn Reasoning in LLMs",
        "anonymous",
        "under review",
        "EvolArena measured no people; most of its games come from Codeforces, where the problems "
        "are rated 2453 on average (1700 to 3500).",
    ),
    tasks=("arcade/",),
    layouts=LAYOUTS,
    reply_rules={
        "commands": CommandRule(
            "EvolArena, monitors of section N: a query, move or answer spelled as the rules spell "
            "it; the first of the first kind in the rules' order counts"
        )
    },
    sort_order=3,
    items="mtr_bench",
)
