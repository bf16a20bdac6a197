"""A sixth paper: its citation, its table, how it parses replies."""

from facelet.pipeline.papers.paper import (
    CommandRule,
    LayoutRow,
    Paper,
    PaperPart,
    PaperSource,
    TableFigure,
    TableLayout,
)

LEVELS = (1, 2, 3)

PAPER = Paper(
    "number_bench",
    PaperSource(
        "Number Bench",
        "Number Bench: Who Finds the Hidden Number?",
        "A. Person, B. Person",
        people="Number Bench reports of people: 99.0% of its numbers.",
    ),
    tasks=("guessing/",),
    suites=("guessing",),
    layouts=(
        TableLayout(
            "4",
            (
                LayoutRow(
                    tuple(TableFigure("hidden_number", "accuracy", level) for level in LEVELS)
                ),
            ),
            (PaperPart("hidden_number", "guessing/hidden_number", items=8),),
            axis="levels",
        ),
    ),
    reply_rules={"commands": CommandRule("Number Bench, 2: a guess as the rules spell it")},
)
