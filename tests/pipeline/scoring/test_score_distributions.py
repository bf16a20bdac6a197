"""Proportions, medians, extremes and histograms against plain sums and Wilson's formula by hand."""

from __future__ import annotations

import math
import random
import statistics

import pytest

from facelet.pipeline.scoring.render.figure_tables import render_tables
from facelet.pipeline.scoring.scorer import score

REPLIES = ("1", "2", "3", "3", "5", "8", "x", "x", "p3", "px", "?")
BUDGET = 8


def report_cells(results, config="toy.tries"):
    report = results["models"][0]["configs"][config]["splits"]["test"]
    return {cell["difficulty"]: cell for cell in report["cells"] if not cell["by"]}


def score_random(publish, jsonl, count, samples, seed=1, grouped=False):
    """Publish rows and random replies, some of them missing; return scores and replies by row."""
    rng = random.Random(seed)
    rows = [{"budget": BUDGET - i % 2, "difficulty": 1 + i % 2} for i in range(count)]
    if grouped:
        for i, row in enumerate(rows):
            row["group"] = f"g{i // 2}"
    data = publish({"toy/tries": rows})
    said = [[rng.choice(REPLIES) for _ in range(samples)] for _ in rows]
    # The first row has all its samples, so that every row is expected to.
    kept = [
        [reply if i == 0 or rng.random() < 0.9 else None for reply in replies]
        for i, replies in enumerate(said)
    ]
    records = [
        {"id": f"toy.tries/d{row['difficulty']:02d}/{i:06d}", "prediction": reply, "sample_idx": k}
        for i, row in enumerate(rows)
        for k, reply in enumerate(kept[i])
        if reply is not None
    ]
    return score(data, [jsonl(records)]).results, rows, kept


def parse_tries(reply):
    """The number of tries of a solved reply, or None."""
    return int(reply[-1]) if reply and reply[-1].isdigit() else None


def wilson(share, trials):
    """The score interval, as its textbook formula."""
    z = 1.959963984540054
    middle = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z / (1 + z**2 / trials)
    half *= math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return middle - half, middle + half


@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("level", [None, 1, 2])
def test_figures_are_those_of_the_replies(publish, jsonl, samples, level):
    results, rows, kept = score_random(publish, jsonl, 60, samples)
    figures = report_cells(results)[level]["figures"]
    chosen = [
        (row, reply)
        for row, replies in zip(rows, kept, strict=True)
        for reply in replies
        if level in (None, row["difficulty"])
    ]
    tries = [n for _, reply in chosen if (n := parse_tries(reply)) is not None]
    assert figures["solved_rate"]["value"] == pytest.approx(len(tries) / len(chosen))
    assert figures["median_tries"]["value"] == statistics.median(tries)
    assert figures["maximum_tries"]["value"] == max(tries) == figures["maximum_spent"]["value"]
    assert figures["median_late"]["value"] == statistics.median(n > 3 for n in tries)
    spent = [row["budget"] if (n := parse_tries(reply)) is None else n for row, reply in chosen]
    assert figures["spent"]["value"] == pytest.approx(statistics.mean(spent))
    # Whatever is not known to be without a slip is counted as one.
    slipped = [(row, reply) for row, reply in chosen if not (reply or "").startswith("p")]
    assert len(slipped) < len(chosen)
    recovered = [n for _, reply in slipped if (n := parse_tries(reply)) is not None]
    assert figures["recovered_rate"]["value"] == pytest.approx(len(recovered) / len(slipped))
    used = [row["budget"] if (n := parse_tries(reply)) is None else n for row, reply in slipped]
    assert figures["used"]["value"] == pytest.approx(statistics.mean(used))
    histograms = report_cells(results)[level]["histograms"]
    values = sorted({n for replies in kept for reply in replies if (n := parse_tries(reply))})
    assert histograms["tries"]["values"] == values
    assert histograms["tries"]["counts"] == [tries.count(value) for value in values]
    assert histograms["tries"]["others"] == len(chosen) - len(tries)
    # An unsolved reply that was understood spends the budget, which is 7 in every other row.
    known = [
        row["budget"] if parse_tries(reply) is None else parse_tries(reply)
        for row, reply in chosen
        if reply not in (None, "?")
    ]
    counts = [known.count(value) for value in (1, 2, 7)]
    assert histograms["spent"] == {
        "values": [1, 2, 7],
        "counts": counts,
        "others": len(chosen) - sum(counts),
    }


def test_independent_rows_have_the_wilson_interval(publish, jsonl):
    results, _, kept = score_random(publish, jsonl, 60, 1)
    figures = report_cells(results)[None]["figures"]
    tries = [n for (reply,) in kept if (n := parse_tries(reply)) is not None]
    share = figures["solved_rate"]
    assert share["method"] == "wilson"
    assert (share["low"], share["high"]) == pytest.approx(wilson(len(tries) / 60, 60))
    slipped = [reply for (reply,) in kept if not (reply or "").startswith("p")]
    recovered = sum(parse_tries(reply) is not None for reply in slipped)
    share = figures["recovered_rate"]
    assert (share["method"], share["units"]) == ("wilson", len(slipped))
    assert (share["low"], share["high"]) == pytest.approx(
        wilson(recovered / len(slipped), len(slipped))
    )
    median = figures["median_tries"]
    assert (median["method"], median["units"]) == ("cluster_bootstrap", len(tries))
    assert median["low"] <= median["value"] <= median["high"]
    assert figures["maximum_tries"]["method"] is None
    assert figures["maximum_tries"]["units"] == len(tries)


@pytest.mark.parametrize(("samples", "grouped"), [(3, False), (1, True)])
def test_samples_and_linked_rows_are_no_independent_trials(publish, jsonl, samples, grouped):
    results, _, _ = score_random(publish, jsonl, 60, samples, grouped=grouped)
    figures = report_cells(results)[None]["figures"]
    assert figures["solved_rate"]["method"] == "cluster_bootstrap"
    assert figures["recovered_rate"]["method"] == "cluster_bootstrap"


def test_without_a_solved_reply_there_is_no_median(publish, jsonl):
    rows = [{"budget": BUDGET} for _ in range(20)]
    data = publish({"toy/tries": rows})
    records = [{"id": f"toy.tries/d01/{i:06d}", "prediction": "x"} for i in range(20)]
    results = score(data, [jsonl(records)]).results
    figures = report_cells(results)[None]["figures"]
    for name in ("median_tries", "maximum_tries", "median_late", "maximum_spent"):
        assert figures[name]["value"] is figures[name]["low"] is None
        assert figures[name]["units"] == 0
    assert figures["solved_rate"]["value"] == 0
    assert (figures["solved_rate"]["low"], figures["solved_rate"]["high"]) == pytest.approx(
        wilson(0, 20), abs=1e-12
    )
    histograms = report_cells(results)[None]["histograms"]
    assert histograms["tries"] == {"values": [], "counts": [], "others": 20}


def test_a_histogram_up_to_a_column_shows_what_nobody_needed_too(publish, jsonl):
    results, _, kept = score_random(publish, jsonl, 60, 1)
    used = [
        parse_tries(reply) or BUDGET - i % 2
        for i, (reply,) in enumerate(kept)
        if reply and reply[0] in "12358x"
    ]
    found = report_cells(results)[None]["histograms"]["used"]
    assert found["values"] == list(range(1, BUDGET + 1))
    assert found["counts"] == [used.count(value) for value in found["values"]]
    assert 0 in found["counts"] and found["others"] == 60 - len(used)


def test_the_report_shows_them(publish, jsonl):
    results, _, kept = score_random(publish, jsonl, 60, 1)
    shown = render_tables(results)
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown.splitlines()]
    header = next(line for line in lines if "solved rate (SR)" in line)
    everything = dict(zip(header, lines[lines.index(header) + 2], strict=True))
    share = report_cells(results)[None]["figures"]["solved_rate"]
    assert everything["depth"] == "all"
    assert everything["solved rate (SR)"].startswith(
        f"{100 * share['value']:.1f} [{100 * share['low']:.1f}, {100 * share['high']:.1f}]"
    )
    told = report_cells(results)[None]["figures"]["maximum_tries"]
    assert everything["maximum tries"] == f"8.000, n = {told['units']}"
    header = next(line for line in lines if "tries 5" in line)
    levels = [dict(zip(header, line, strict=True)) for line in lines[lines.index(header) + 2 :][:3]]
    assert [level["depth"] for level in levels] == ["all", "1", "2"]
    fives = sum(parse_tries(reply) == 5 for (reply,) in kept)
    assert levels[0]["tries 5"] == str(fives)
    assert fives == int(levels[1]["tries 5"]) + int(levels[2]["tries 5"]) > 0


def score_single(publish, jsonl, replies):
    """Return the figures of rows with one reply each."""
    data = publish({"toy/tries": [{"budget": BUDGET} for _ in replies]})
    records = [
        {"id": f"toy.tries/d01/{i:06d}", "prediction": reply} for i, reply in enumerate(replies)
    ]
    return report_cells(score(data, [jsonl(records)]).results)[None]["figures"]


def test_a_mean_that_is_no_share_never_has_a_share_s_interval(publish, jsonl):
    figures = score_single(publish, jsonl, ["1"] * 30)
    assert figures["used"]["value"] == 1.0
    assert figures["used"]["method"] is figures["used"]["low"] is figures["used"]["high"] is None
    assert figures["recovered_rate"]["method"] == "wilson"
    mixed = score_single(publish, jsonl, ["1", "2"] * 15)["used"]
    assert mixed["method"] == "cluster_bootstrap" and mixed["low"] < 1.5 < mixed["high"]


def test_a_median_of_few_solved_or_of_equal_ones_has_no_interval(publish, jsonl):
    few = score_single(publish, jsonl, ["2", "5", "3", *["x"] * 40])
    assert (few["median_tries"]["value"], few["median_tries"]["low"]) == (3.0, None)
    same = score_single(publish, jsonl, ["3"] * 20 + ["x"] * 20)
    assert (same["median_tries"]["value"], same["median_tries"]["low"]) == (3.0, None)
    many = score_single(publish, jsonl, ["2", "5", "3"] * 10)["median_tries"]
    assert many["method"] == "cluster_bootstrap"
