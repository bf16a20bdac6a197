"""Register Inf-Bench: the paper and its rows."""

from facelet.pipeline.papers.inf_bench.layouts import LAYOUTS
from facelet.pipeline.papers.paper import Paper, PaperSource

PAPER = Paper(
    "inf_bench",
    PaperSource(
        "Inf-Bench",
        "Ascending the Infinite Ladder: Benchmarking Spatial Deformation Reasoning in "
        "Vision-Language Models",
        "anonymous",
        "under review",
        "Inf-Bench reports of people, as mean R of ten ladders on its own items, forward and "
        "inverse: 31.5 and 17.3 in 2D, 17.5 and 16.3 in 2.5D, 6.7 and 5.3 in 3D with pictures "
        "(table 1); 7.2 and 5.7, 6.4 and 4.1, 1.9 and 1.3 with codes (table 2).",
    ),
    tasks=(
        "shapes/",
        "cube/forward_deformation",
        "cube/inverse_deformation",
        "cube/forward_writing",
        "cube/inverse_writing",
    ),
    layouts=LAYOUTS,
    left_out={
        "3": "No layout: a model trained on what facelet finetune writes gets a row of table 1.",
        "figure 7": "No layout: people sorted the errors that it counts.",
    },
    sort_order=5,
)
