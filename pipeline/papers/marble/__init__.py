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
    left_out={
        "4": "No layout: its costs are tokens times prices; facelet report prices= shows them.",
        "6": "No layout: its players are people, whose replies get the row of table 2 when scored.",
        "figure 4": "No layout: its values are drawn, not printed.",
        "figure 5": "No layout: its values are drawn, not printed.",
        "figure 6": "No layout: its values are drawn, not printed.",
        "figure 7": "No layout: its values are drawn, not printed.",
        "figure 16": "No layout: its values are drawn, not printed.",
        "figure 17": "No layout: its values are drawn, not printed.",
        "figure 18": "No layout: its values are drawn, not printed.",
        "figure 19": "No layout: its values are drawn, not printed.",
        "figure 20": "No layout: its values are drawn, not printed.",
        "figure 21": "No layout: its values are drawn, not printed.",
        "figure 26": "No layout: people marked the errors that it counts.",
    },
    sort_order=4,
)
