"""Build the toy suite: `python toy_build.py OUT WORKERS [key=value ...]`; prints the manifest.

Keys are fields of Settings. Stands in for `facelet build` where a test needs a process of its own.
"""

from __future__ import annotations

import dataclasses
import json
import sys

import toy_family

from facelet.pipeline.build import manifest_writer
from facelet.pipeline.build.build_folder import BuildFolder
from facelet.pipeline.build.build_plan import compute_plan
from facelet.pipeline.build.dataset_builder import DatasetBuild, build_dataset
from facelet.pipeline.build.job_runner import StageRunner
from facelet.pipeline.config.build_settings import (
    ParamRange,
    RunnerSettings,
    Settings,
    StageSizes,
    SuiteTask,
)
from facelet.pipeline.dataset.store_address import parse_place


def install_toys():
    """Add the toy task and its provider, and pin the code version.

    The version is a hash over the source of the whole program, which someone may be editing while
    the tests run.
    """
    sys.modules["facelet.generators.toy.tasks.count"] = toy_family
    sys.modules["facelet.pipeline.toy.numbers"] = toy_family
    manifest_writer.code_version = lambda: "pinned"


def depths(*values, limit=None):
    """Return what Settings and Entry say of depths."""
    return {"depth": ParamRange(values or None, limit)}


def settings(out, workers=1, **changes):
    base = Settings(
        name="toy",
        profile="smoke",
        entries=(SuiteTask("toys", "count", "toy/count"),),
        ranges=depths(1, 2, 3),
        count=24,
        splits=(("test", 1),),
        seed=0,
        out=parse_place(str(out)),
        stages=StageSizes(compose_items=6, emit_rows=20, emit_group=8),
        runner=RunnerSettings(workers=workers),
        progress=False,
    )
    return dataclasses.replace(base, **changes)


def tiny(out, **changes):
    """Return the settings of a build of few shards."""
    entries = (SuiteTask("toys", "count", "toy/count"),)
    return settings(out, entries=entries, ranges=depths(1), count=12, **changes)


def run(configured):
    """Build as `facelet build` does."""
    stages = StageRunner(
        BuildFolder(configured.out),
        configured.runner,
        configured.progress,
        configured.family_settings_of,
    )
    plan, refuse = compute_plan(configured), configured.unfair == "refuse"
    return build_dataset(
        DatasetBuild(plan, stages, configured.replace, refuse, configured.citation)
    )


if __name__ == "__main__":
    install_toys()
    pairs = (word.split("=", 1) for word in sys.argv[3:])
    changes = {name: json.loads(value) for name, value in pairs}
    changes = {k: tuple(map(tuple, v)) if k == "splits" else v for k, v in changes.items()}
    if "ranges" in changes:
        changes["ranges"] = depths(*changes["ranges"]["depth"])
    if "runner" in changes:
        backend, address = (*changes["runner"].split("@"), None)[:2]
        changes["runner"] = RunnerSettings(backend, address, int(sys.argv[2]))
    made = run(settings(sys.argv[1], int(sys.argv[2]), **changes))
    print(json.dumps({"content_hash": made.content_hash, "plan_hash": made.plan_hash}))
