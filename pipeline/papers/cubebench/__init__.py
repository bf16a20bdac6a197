"""Register CubeBench: the paper and its rows."""

from facelet.pipeline.papers.cubebench.layouts import LAYOUTS
from facelet.pipeline.papers.paper import Paper, PaperSource

PAPER = Paper(
    "cubebench",
    PaperSource(
        "CubeBench",
        "CubeBench: Diagnosing Interactive, Long-Horizon Spatial Reasoning under Partial "
        "Observations",
        "Huan-ang Gao, Zikang Zhang, Tianwei Luo and others",
    ),
    tasks=("cube/navigate",),
    layouts=LAYOUTS,
    left_out={
        "figure 1": "No layout: its values are those of tables 2 to 6, drawn.",
        "figure 6": "No layout: its values are those of tables 2 to 6, drawn.",
    },
    sort_order=2,
)
