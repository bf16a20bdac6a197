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
    sort_order=2,
)
