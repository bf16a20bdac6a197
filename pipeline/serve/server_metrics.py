"""Figures: what a server counts, in Prometheus' text form.

Each worker counts for itself and hands its counters to the store; `/metrics` of any worker shows
the sums, workers that ended among them. Names are those of the text form, labels included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from secrets import token_hex

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the histogram of seconds."""

_HELP = {
    "facelet_requests_total": ("counter", "requests by route and status"),
    "facelet_request_seconds": ("histogram", "seconds of a request, by route"),
    "facelet_replies_judged_total": ("counter", "single replies judged"),
    "facelet_steps_total": ("counter", "replies of sessions played"),
    "facelet_sessions_opened_total": ("counter", "sessions opened"),
    "facelet_sessions": ("gauge", "sessions open"),
    "facelet_sessions_over": ("gauge", "sessions that are over and can still be read"),
}


class ServerMetrics:
    """One worker's counters.

    Attributes:
        worker: its name, which no other has.
        counts: the counters by name.
    """

    def __init__(self) -> None:
        """Begin at nothing."""
        self.worker = token_hex(8)
        self.counts: defaultdict[str, float] = defaultdict(float)

    def add_count(self, name: str, count: float = 1) -> None:
        """Count something.

        Args:
            name: name of the counter.
            count: how many.
        """
        self.counts[name] += count

    def record_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request.

        Args:
            route: its route.
            status: the status of its answer.
            seconds: how long it took.
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
    """Return counters in Prometheus' text form, sorted, each family under its help."""
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
