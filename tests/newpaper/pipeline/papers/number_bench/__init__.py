"""A sixth paper: its citation, its table, how it parses replies."""

from facelet.pipeline.papers.paper import Paper, Source
from facelet.pipeline.papers.places import Layout, Line, Part, Place
from facelet.pipeline.papers.replies import Commands

LEVELS = (1, 2, 3)

PAPER = Paper(
    "number_bench",
    Source(
        "Number Bench",
        "Number Bench: Who Finds the Hidden Number?",
        "A. Person, B. Person",
        people="Number Bench reports of people: 99.0% of its numbers.",
    ),
    tasks=("guessing/",),
    suites=("guessing",),
    layouts=(
        Layout(
            "4",
            (Line(tuple(Place("hidden_number", "accuracy", level) for level in LEVELS)),),
            (Part("hidden_number", "guessing/hidden_number", items=8),),
            axis="levels",
        ),
    ),
    reply_rules={"commands": Commands("Number Bench, 2: a guess as the rules spell it")},
)
