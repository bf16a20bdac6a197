"""Register Cube Bench: the paper, its rows, and how it parses replies."""

from facelet.pipeline.papers.cube_bench.layouts import LAYOUTS
from facelet.pipeline.papers.cube_bench.reply_rules import RULES
from facelet.pipeline.papers.paper import Paper, PaperSource

PAPER = Paper(
    "cube_bench",
    PaperSource(
        "Cube Bench",
        "Cube Bench: A Benchmark for Spatial Visual Reasoning in MLLMs",
        "Dhruv Anand, Ehsan Shareghi",
    ),
    tasks=("cube/",),
    layouts=LAYOUTS,
    left_out={
        "figure 3": "No layout: its values are drawn, not printed; step_by_step has its figures.",
    },
    reply_rules=RULES,
    sort_order=1,
)
