"""Measures against scikit-learn and against the paper's formulas written out row by row."""

from __future__ import annotations

import random

import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    recall_score,
)

from facelet.pipeline.scoring.aggregate.claims import OF_PARTS
from facelet.pipeline.scoring.scorer import ScoreSettings, score

CLASSES = ("DECREASE", "NO_CHANGE", "INCREASE")


def report_cells(results, config, model=0):
    report = results["models"][model]["configs"][config]["splits"]["test"]
    return {(tuple(cell["by"].values()), cell["difficulty"]): cell for cell in report["cells"]}


def figure_values(cell):
    return {name: figure["value"] for name, figure in cell["figures"].items()}


def test_binary_figures(publish, jsonl):
    rng = random.Random(1)
    rows = [{"truth": rng.random() < 0.4, "difficulty": 1 + i % 3} for i in range(90)]
    data = publish({"toy/yes_no": rows})
    replies = [rng.choice(["Answer: Yes", "Answer: Yes", "Answer: No", "maybe"]) for _ in rows]
    records = [
        {"id": f"toy.yes_no/d{row['difficulty']:02d}/{i:06d}", "prediction": replies[i]}
        for i, row in enumerate(rows)
        if i % 17
    ]
    found = report_cells(score(data, [jsonl(records)]).results, "toy.yes_no")
    for level in (None, 1, 2, 3):
        chosen = [i for i, row in enumerate(rows) if level in (None, row["difficulty"])]
        gold = ["yes" if rows[i]["truth"] else "no" for i in chosen]
        said = [
            {"Answer: Yes": "yes", "Answer: No": "no"}.get(replies[i], "none") if i % 17 else "none"
            for i in chosen
        ]
        figures = figure_values(found[(), level])
        # For scikit-learn an unparsed answer is a third class, which no row has.
        with pytest.warns(UserWarning, match="y_pred contains classes"):
            expected = balanced_accuracy_score(gold, said)
        assert figures["balanced_accuracy"] == pytest.approx(expected)
        won = found[(), level]["figures"]["balanced_accuracy"]["baselines"]
        assert won == {"chance": 0.5, "constant": 0.5}
        tpr, tnr = recall_score(gold, said, labels=["yes", "no"], average=None)
        assert (figures["tpr"], figures["tnr"]) == pytest.approx((tpr, tnr))
        parsed = [(g, s) for g, s in zip(gold, said, strict=True) if s != "none"]
        says = sum(s == "yes" for _, s in parsed) / len(parsed)
        holds = sum(g == "yes" for g, _ in parsed) / len(parsed)
        assert figures["positive_rate"] == pytest.approx(says)
        assert figures["label_bias"] == pytest.approx(says - holds)
        received = sum(1 for i in chosen if i % 17)
        assert figures["parse_rate"] == pytest.approx(len(parsed) / received)
        right = sum(g == s for g, s in zip(gold, said, strict=True))
        assert figures["accuracy"] == pytest.approx(right / len(chosen))


def test_one_class_alone_has_no_balanced_accuracy(publish, jsonl):
    data = publish({"toy/yes_no": [{"truth": True}, {"truth": True}]})
    records = [{"id": "toy.yes_no/d01/000000", "prediction": "Answer: Yes"}]
    figures = report_cells(score(data, [jsonl(records)]).results, "toy.yes_no")[(), None]["figures"]
    assert figures["balanced_accuracy"]["value"] is None
    assert figures["tnr"] == {
        "value": None, "low": None, "high": None, "method": None, "units": 0,
        "unit": "share", "baselines": {}, "verdict": OF_PARTS, "caveats": [],
    }  # fmt: skip
    assert figures["tpr"]["value"] == 0.5


def make_classes_case(seed, count):
    rng = random.Random(seed)
    rows, replies, gold, said = [], [], [], []
    for number in range(count):
        effects = rng.choices(CLASSES, weights=(1, 1, 3), k=4)
        answer = [rng.choice([e, rng.choice(CLASSES), ""]) for e in effects]
        rows.append({"effects": effects, "group": f"g{number // 2}", "difficulty": 1 + number % 2})
        replies.append("\n".join(f"{k}: {v}" for k, v in zip("ABCD", answer, strict=True) if v))
        gold.append(effects)
        said.append([a or "MISSING" for a in answer])
    return rows, replies, gold, said


@pytest.mark.parametrize("seed", range(4))
def test_confusion_figures(publish, jsonl, seed):
    rows, replies, gold, said = make_classes_case(seed, 60)
    data = publish({"toy/classes": rows})
    records = []
    for number, reply in enumerate(replies):
        key = f"toy.classes/d{rows[number]['difficulty']:02d}/{number:06d}"
        if number % 13 == 5:
            said[number] = ["MISSING"] * 4  # no prediction at all
        elif number % 13 == 6:
            said[number] = ["MISSING"] * 4
            records.append({"id": key, "error": "rate limit"})
        else:
            records.append({"id": key, "prediction": reply})
    found = report_cells(score(data, [jsonl(records)]).results, "toy.classes")
    for level in (None, 1, 2):
        chosen = [i for i, row in enumerate(rows) if level in (None, row["difficulty"])]
        flat = [c for i in chosen for c in gold[i]]
        answers = [c for i in chosen for c in said[i]]
        cell = found[(), level]
        figures = figure_values(cell)
        labels = [*CLASSES, "MISSING"]
        matrix = confusion_matrix(flat, answers, labels=labels)
        assert cell["confusion"]["counts"] == matrix[:3].tolist()
        assert cell["confusion"]["answer"] == labels
        hits = sum(g == a for g, a in zip(flat, answers, strict=True))
        assert figures["micro_accuracy"] == pytest.approx(hits / len(flat))
        macro = f1_score(flat, answers, labels=CLASSES, average="macro")
        assert figures["macro_f1"] == pytest.approx(macro)
        kappa = cohen_kappa_score(flat, answers, labels=labels)
        assert figures["kappa"] == pytest.approx(kappa)
        shares = [(flat.count(c) / len(flat), answers.count(c) / len(flat)) for c in CLASSES]
        assert figures["p_e"] == pytest.approx(sum(pi * q for pi, q in shares))
        # The official code: what is missing leaves the denominator of the shares of answers.
        there = len(flat) - answers.count("MISSING")
        by_chance = sum(pi * q * len(flat) / there for pi, q in shares)
        official = (hits / len(flat) - by_chance) / (1 - by_chance)
        assert figures["kappa_of_answers"] == pytest.approx(official)
        assert official < kappa


def test_baselines_of_figures_over_labels(publish, jsonl):
    rng = random.Random(3)
    effects = [rng.choices(CLASSES, (5, 3, 1), k=4) for _ in range(60)]
    data = publish({"toy/classes": [{"effects": one} for one in effects]})
    records = [{"id": f"toy.classes/d01/{i:06d}", "prediction": "?"} for i in range(60)]
    (cell, *_) = report_cells(score(data, [jsonl(records)]).results, "toy.classes").values()
    won = cell["figures"]["macro_f1"]["baselines"]
    gold = [label for one in effects for label in one]

    def macro_f1(answers):
        return f1_score(gold, answers, labels=CLASSES, average="macro", zero_division=0)

    assert won["constant"] == pytest.approx(max(macro_f1([c] * len(gold)) for c in CLASSES))
    guesses = [macro_f1(rng.choices(CLASSES, k=len(gold))) for _ in range(400)]
    assert won["chance"] == pytest.approx(sum(guesses) / len(guesses), abs=0.005)
    assert cell["figures"]["kappa_of_answers"]["baselines"] == {"chance": 0.0}


def test_a_class_that_nobody_names_has_f1_of_zero(publish, jsonl):
    data = publish({"toy/classes": [{"effects": ["DECREASE"] * 4}]})
    text = "\n".join(f"{k}: DECREASE" for k in "ABCD")
    records = [{"id": "toy.classes/d01/000000", "prediction": text}]
    figures = figure_values(
        report_cells(score(data, [jsonl(records)]).results, "toy.classes")[(), None]
    )
    assert figures["macro_f1"] == pytest.approx(1 / 3)
    assert figures["micro_accuracy"] == 1.0
    assert figures["kappa"] is None  # p_e is 1


def test_means_of_metrics(publish, jsonl):
    data = publish({"toy/shares": [{} for _ in range(12)]})
    texts = ["9", "9", "3", "0", "nine"]
    records = [
        {"id": f"toy.shares/d01/{i:06d}", "prediction": text} for i, text in enumerate(texts)
    ]
    cell = report_cells(score(data, [jsonl(records)]).results, "toy.shares")[(), None]
    # Unparsed and missing rows count 0: (9 + 9 + 3) of 108 cells, 2 of 12 faces.
    assert cell["figures"]["element_accuracy"]["value"] == pytest.approx(21 / 108)
    assert cell["figures"]["matrix_accuracy"]["value"] == pytest.approx(2 / 12)
    assert cell["figures"]["matrix_accuracy"]["method"] == "wilson"
    assert cell["figures"]["element_accuracy"]["method"] == "cluster_bootstrap"
    # A share of 1 / n with weight n: one for each of the three, of 9 + 9 + 3.
    assert cell["figures"]["corner_accuracy"]["value"] == pytest.approx(3 / 21)
    assert cell["figures"]["corner_accuracy"]["units"] == 3


def test_means_over_difficulties_count_each_once(publish, jsonl):
    """Four items at depth 1, one at depth 2 and one without weight at depth 3."""
    depths = [1, 1, 1, 1, 2, 3]
    data = publish({"toy/shares": [{"difficulty": depth} for depth in depths]})
    records = [
        {"id": f"toy.shares/d{depth:02d}/{i:06d}", "prediction": text}
        for i, (depth, text) in enumerate(zip(depths, ["9", "9", "3", "1", "2", "0"], strict=True))
    ]
    found = report_cells(score(data, [jsonl(records)]).results, "toy.shares")
    one, two = 4 / 22, 1 / 2
    overall = figure_values(found[(), None])
    assert overall["corner_accuracy"] == pytest.approx(5 / 24)
    assert overall["macro_corner_accuracy"] == pytest.approx((one + two) / 2)
    assert figure_values(found[(), 1])["macro_corner_accuracy"] == pytest.approx(one)
    assert figure_values(found[(), 3])["macro_corner_accuracy"] is None


def test_accuracy_by_modality_is_independent_and_overall_is_not(publish, jsonl, letter_rows):
    rows = letter_rows(40, ("image", "text"))
    data = publish({"toy/letters": rows})
    records = [
        {"id": f"toy.letters/d{row['difficulty']:02d}/{i:06d}", "prediction": "Answer: A"}
        for i, row in enumerate(rows)
    ]
    found = report_cells(score(data, [jsonl(records)]).results, "toy.letters")
    overall = found[(), None]["figures"]["accuracy"]
    image = found[("image",), None]["figures"]["accuracy"]
    assert overall["method"] == "cluster_bootstrap"
    assert image["method"] == "wilson"
    assert overall["value"] == image["value"] == 0.25
    assert overall["units"] == 80 and image["units"] == 40
    # Both copies of a puzzle are right or wrong together: the pair tells no more than one.
    assert overall["high"] - overall["low"] == pytest.approx(image["high"] - image["low"], rel=0.2)
    strict = found[(), None]["figures"]["strict_accuracy"]
    assert strict["value"] == 0.0 and strict["method"] == "wilson_clusters"
    assert strict["high"] > 0.05


def test_few_clusters_have_wide_intervals_or_none(publish, jsonl):
    # Forty answers about three puzzles tell little, however much they agree within a puzzle.
    rows = [{"effects": ["DECREASE"] * 3 + ["INCREASE"], "group": f"p{i % 3}"} for i in range(40)]
    data = publish({"toy/classes": rows})
    said = [
        "\n".join(f"{k}: DECREASE" for k in "ABCD"),
        "\n".join(f"{k}: INCREASE" for k in "ABCD"),
    ]
    records = [
        {"id": f"toy.classes/d01/{i:06d}", "prediction": said[i % 3 == 0]} for i in range(40)
    ]
    figures = report_cells(score(data, [jsonl(records)]).results, "toy.classes")[(), None][
        "figures"
    ]
    accuracy, kappa = figures["accuracy"], figures["kappa"]
    assert accuracy["method"] == "wilson_clusters" and accuracy["high"] > 0.5
    assert kappa["value"] is not None
    assert kappa["low"] is kappa["high"] is kappa["method"] is None


def test_samples_are_averaged_and_their_spread_is_shown(publish, jsonl, letter_rows):
    rows = letter_rows(12)
    data = publish({"toy/letters": rows})
    records = [
        {
            "id": f"toy.letters/d{row['difficulty']:02d}/{i:06d}",
            "prediction": f"Answer: {row['right'] if sample <= i % 4 else 'none of them'}",
            "sample_idx": 10 * sample,
        }
        for i, row in enumerate(rows)
        for sample in range(4)
    ]
    results = score(data, [jsonl(records)]).results
    report = results["models"][0]["configs"]["toy.letters"]["splits"]["test"]
    assert report["samples_per_item"] == 4
    figures = figure_values(report["cells"][0])
    shares = [(1 + i % 4) / 4 for i in range(12)]
    assert figures["accuracy"] == pytest.approx(sum(shares) / 12)
    assert figures["any_sample_correct"] == 1.0
    assert figures["all_samples_correct"] == pytest.approx(3 / 12)
    assert report["cells"][0]["figures"]["accuracy"]["method"] == "cluster_bootstrap"


def test_intervals_do_not_depend_on_the_order_of_the_file(publish, jsonl, letter_rows):
    rows = letter_rows(30, ("image", "text"))
    data = publish({"toy/letters": rows})
    rng = random.Random(2)
    records = [
        {
            "id": f"toy.letters/d{row['difficulty']:02d}/{i:06d}",
            "prediction": f"Answer: {rng.choice('ABCD')}",
        }
        for i, row in enumerate(rows)
    ]
    how = ScoreSettings(resamples=200, model="m")
    one = score(data, [jsonl(records, "one.jsonl")], how).results
    rng.shuffle(records)
    two = score(data, [jsonl(records, "two.jsonl")], how).results
    assert one["models"] == two["models"]
