"""Register MARBLE: the paper and its rows."""

from facelet.pipeline.papers.marble.layouts import LAYOUTS
from facelet.pipeline.papers.paper import Paper, PaperSource

PAPER = Paper(
    "marble",
    PaperSource(
        "MARBLE",
        "MARBLE: A Hard Benchmark for Multimodal Spatial Reasoning and Planning",
        "anonymous",
        "under review",
        "MARBLE reports of people, on its own items: 37.5% of fill-the-blanks, 0.0% of cubes and "
        "85.0% of easy cubes, 55.0% of mazes and 80.0% of easy mazes (table 6).",
    ),
    tasks=("jigsaw/", "labyrinth/", "chamber/"),
    layouts=LAYOUTS,
    sort_order=4,
)
