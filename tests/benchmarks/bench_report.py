"""Reports against their limits: made in 60 s on two cores, opened in 2 s, 5 MB for a page alone.

    python tests/benchmarks/bench_report.py [dataset=FOLDER]

Three models answer five suites, and the report is made, by the clock and in processor time, which
tells more on a busy machine: two cores have 120 s of it in a minute. Then three models answer some
hundred rows with pictures so often that there are 100,000 samples, and Chromium opens the page of
replies from disk, until the first reply with its picture is shown. Needs what `make test-browser`
installs; `dataset=` names a built dataset of five suites, which else is built first, in minutes.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

import scored_site
from targets import BenchTarget, heading, print_row, summary

from facelet.pipeline.cli import main
from facelet.pipeline.rollout.row_opener import read_row, rows

SUITES = "suites=[cube_bench,cubebench,evolarena,inf_bench,marble]"
MODELS = {"alpha": 3, "beta": 2, "gamma": 1}
SAMPLES = 100_000
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def processor_seconds() -> float:
    """Return the processor seconds of this process and those it waited for."""
    whole = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in whole)


def measure_five_suites(folder: Path, dataset: Path | None) -> list[BenchTarget]:
    """Measure the report of three models on five suites."""
    if dataset is None:
        dataset = folder / "five"
        words = ["profile=smoke", SUITES, "depths=1-3", "levels=1-3", "count=4", f"out={dataset}"]
        assert main(["build", *words]) == 0
    said = scored_site.write_predictions(dataset, folder / "said.jsonl", MODELS)
    run = scored_site.score_predictions(dataset, said, folder / "run")
    began, used = time.perf_counter(), processor_seconds()
    assert main(["report", str(run), f"dataset={dataset}", f"out={folder / 'site'}"]) == 0
    took, used = time.perf_counter() - began, processor_seconds() - used
    pages = {path.name: path.stat().st_size for path in (folder / "site").glob("*.html")}
    samples = pq.read_metadata(run / "items.parquet").num_rows
    heading("samples", "wall s", "processor s", "index.html MB", "largest page MB")
    largest = max(pages.values()) / 1e6
    first = pages["index.html"] / 1e6
    print_row(f"{samples:,}", f"{took:.1f}", f"{used:.1f}", f"{first:.2f}", f"{largest:.2f}")
    return [
        BenchTarget("report of 3 models x 5 suites, s by the clock", took, 60, 30, more=False),
        BenchTarget("report of 3 models x 5 suites, processor s", used, 120, 60, more=False),
        BenchTarget("first page alone, MB", first, 5, 1, more=False),
        BenchTarget("largest page, MB", largest, 5, 3, more=False),
    ]


def measure_many_samples(folder: Path) -> list[BenchTarget]:
    """Measure how long a browser takes to show the first of 100,000 samples."""
    from playwright.sync_api import sync_playwright

    dataset = folder / "many"
    words = ["suites=[inf_bench]", "tasks=[forward_2d,inverse_2d]", "levels=1-10", "count=20"]
    assert main(["build", "profile=smoke", *words, f"out={dataset}"]) == 0
    every = [read_row(one) for one in rows(dataset)]
    times = -(-SAMPLES // (len(MODELS) * len(every)))
    predictions = folder / "many.jsonl"
    with predictions.open("w") as file:
        for place, asked in enumerate(every):
            right = asked.task.reference(asked.instance)[0]
            for model, known in MODELS.items():
                for sample in range(times):
                    text = right if (place + sample) % 4 < known else "ABCD"[sample % 4]
                    record = {"id": asked.id, "model": model, "sample_idx": sample}
                    said = f"The answer is {text}"
                    file.write(json.dumps({**record, "prediction": said}) + "\n")
    run = scored_site.score_predictions(dataset, predictions, folder / "run-many")
    began = time.perf_counter()
    words = [f"dataset={dataset}", f"out={folder / 'site-many'}"]
    assert main(["report", str(run), *words]) == 0
    made = time.perf_counter() - began
    samples = pq.read_metadata(run / "items.parquet").num_rows
    opened = []
    with sync_playwright() as play:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = play.chromium.launch(executable_path=path, args=ARGUMENTS)
        for _ in range(5):
            page = browser.new_context().new_page()
            began = time.perf_counter()
            page.goto((folder / "site-many" / "items.html").as_uri())
            page.wait_for_selector("#item h2")
            page.wait_for_function(
                "[...document.querySelectorAll('#item img')].some((one) => one.naturalWidth)"
            )
            opened.append(time.perf_counter() - began)
            page.context.close()
        browser.close()
    index = (folder / "site-many" / "data" / "index.js").stat().st_size / 1e6
    heading("samples", "made s", "index MB", "opened s, median of 5", "slowest")
    middle = sorted(opened)[2]
    print_row(f"{samples:,}", f"{made:.1f}", f"{index:.2f}", f"{middle:.2f}", f"{max(opened):.2f}")
    return [BenchTarget(f"open {samples:,} samples with pictures, s", middle, 2, 1, more=False)]


if __name__ == "__main__":
    given = dict(word.split("=", 1) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="facelet-bench-") as name:
        place = Path(given["dataset"]) if "dataset" in given else None
        found = [*measure_many_samples(Path(name)), *measure_five_suites(Path(name), place)]
    summary(found)
