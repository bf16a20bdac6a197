"""EvolArena: the paper, its rows, and how its monitors parse replies."""

from facelet.pipeline.papers.evolarena.layouts import LAYOUTS
from facelet.pipeline.papers.paper import CommandRule, Paper, PaperSource

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
    left_out={
        "4": "No layout: it is the spread of 16 runs, and a row here is of one run.",
        "6": "No layout: it compares two models; facelet score states whose won games take less.",
        "figure 3": "No layout: its values are drawn, not printed.",
        "figure 4": "No layout: its values are drawn, not printed.",
        "figure 5": "No layout: its values are drawn, not printed.",
    },
    reply_rules={
        "commands": CommandRule(
            "EvolArena, monitors of section N: a query, move or answer spelled as the rules spell "
            "it; the first of the first kind in the rules' order counts"
        )
    },
    sort_order=3,
    items="mtr_bench",
)
