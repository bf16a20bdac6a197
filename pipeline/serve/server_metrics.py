"""Count requests, and render the counters in Prometheus' text format.

Each worker saves its own counters in the store; `/metrics` of any worker returns the sums, ended
workers included. Names of counters include the labels of the text format.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from secrets import token_hex

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the histogram of request seconds."""

_HELP = {
    "facelet_requests_total": ("counter", "requests by route and status"),
    "facelet_request_seconds": ("histogram", "seconds of a request, by route"),
    "facelet_replies_judged_total": ("counter", "single replies graded"),
    "facelet_steps_total": ("counter", "replies of sessions played"),
    "facelet_sessions_opened_total": ("counter", "sessions opened"),
    "facelet_sessions": ("gauge", "sessions open"),
    "facelet_sessions_over": ("gauge", "finished sessions that can still be read"),
}


class ServerMetrics:
    """The counters of one worker.

    Attributes:
        worker: unique name of the worker.
        counts: the counters by name.
    """

    def __init__(self) -> None:
        """Start at zero."""
        self.worker = token_hex(8)
        self.counts: defaultdict[str, float] = defaultdict(float)

    def add_count(self, name: str, count: float = 1) -> None:
        """Add to a counter.

        Args:
            name: name of the counter.
            count: the amount.
        """
        self.counts[name] += count

    def record_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request.

        Args:
            route: its route.
            status: the status of its response.
            seconds: its duration.
        """
        self.counts[f'facelet_requests_total{{route="{route}",status="{status}"}}'] += 1
        name = "facelet_request_seconds"
        self.counts[f'{name}_sum{{route="{route}"}}'] += seconds
        self.counts[f'{name}_count{{route="{route}"}}'] += 1
        for bound in (*BOUNDS, float("inf")):
            if seconds <= bound:
                shown = "+Inf" if bound == float("inf") else f"{bound:g}"
                self.counts[f'{name}_bucket{{route="{route}",le="{shown}"}}'] += 1


def render_metrics(counts: Mapping[str, float]) -> str:
    """Return counters in Prometheus' text format, sorted by family."""
    lines: list[str] = []
    for family, (kind, meaning) in _HELP.items():
        own = sorted(name for name in counts if _metric_family(name) == family)
        if own:
            lines += [f"# HELP {family} {meaning}", f"# TYPE {family} {kind}"]
            lines += [f"{name} {counts[name]:.10g}" for name in own]
    return "\n".join(lines) + "\n"


def _metric_family(name: str) -> str:
    base = name.partition("{")[0]
    for ending in ("_sum", "_count", "_bucket"):
        if base.removesuffix(ending) in _HELP:
            return base.removesuffix(ending)
    return base
