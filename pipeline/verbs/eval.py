"""Evaluate a model on a suite: build, run, score and report; resumes.

Builds the dataset of a suite, or takes a dataset folder that exists, asks the model, scores its
replies and writes a report. It is `facelet build`, `run`, `score` and `report` in a row, and takes
the keys of build. Everything lands beside the dataset, under the name of the model:

  DATASET.run/MODEL.jsonl    the transcripts
  DATASET.score/MODEL        the scores
  DATASET.report/MODEL       the pages; open index.html

Repeat the command to resume or to ask failed plays again; a part that is done costs no request.
Before it builds anything it checks that model, client and charts can be used. It needs the packages
of the extras run and report.

Examples:
  facelet eval openai/gpt-5 SUITE profile=smoke
  facelet eval openai/qwen SUITE base_url=http://localhost:8000/v1 profile=smoke limit=20 yes=true
  facelet eval openai/gpt-5 data/out/facelet-paper limit=50

Exit status: 0 evaluated, 1 the audit refused the dataset or plays failed, 2 a bad word or dataset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from facelet.pipeline.command.setting_keys import key, list_suite_names
from facelet.pipeline.config.build_settings import BuildSettings
from facelet.pipeline.model_runner.settings import RunSettings, SamplingOptions, ServerSettings
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets

S = TypeVar("S")

_LEFT_OUT = ("suites", "show", "quiet")
"""Keys of a build that make no sense here."""


@dataclass(frozen=True, kw_only=True)
class EvalArguments(SamplingOptions, ServerSettings):
    """What is evaluated on what; `Settings` has the keys of a build as well."""

    model: str = key(
        "The model, as the server calls it, after openai/.", allowed="openai/NAME", place=True
    )
    suite: str = key(
        "The suite, or a dataset that exists.",
        allowed="name of a suite, a file that ends in .yaml, or a dataset folder",
        known=list_suite_names,
        place=True,
    )
    limit: int | None = key(
        "Maximum number of rows of each config and split; the others are left out of the score.",
        None,
        low=1,
        shown="all",
    )
    samples: int = key("Number of plays of each row.", 1, low=1)
    concurrency: int = key("Number of concurrent plays.", 8, low=1)
    yes: bool = key("Ask the model without confirmation.", False)


def _build_key_fields() -> Mapping[str, tuple[Any, Any]]:
    """Return type and field of each key of a build; its seed replaces that of the sampling."""
    hints = get_type_hints(BuildSettings)
    return {
        item.name: (hints[item.name], field(default=item.default, metadata=item.metadata))
        for item in fields(BuildSettings)
        if item.name not in _LEFT_OUT
    }


_BUILD_KEYS = _build_key_fields()

Settings: type[EvalArguments] = make_dataclass(
    "Settings",
    [(name, *pair) for name, pair in _BUILD_KEYS.items()],
    bases=(EvalArguments,),
    frozen=True,
    kw_only=True,
    namespace={"__doc__": "All that may be typed.", "__module__": __name__},
)
"""All that may be typed, with the keys of a build."""


def run(settings: EvalArguments) -> int:
    """Build, ask, score and report; return the exit status of the step that failed, or 0.

    Raises:
        ValueError: a key, the suite or the dataset cannot be used, or a package is missing.
    """
    from facelet.pipeline.dataset.manifest_file import MANIFEST
    from facelet.pipeline.dataset.store_address import folder_beside
    from facelet.pipeline.model_runner.runner import check_model, locate_transcripts, run_model
    from facelet.pipeline.report.charts import import_altair
    from facelet.pipeline.verbs import build, report, score

    found = Path(settings.suite).expanduser()
    prepared = None
    if (found / MANIFEST).is_file():
        _refuse_build_keys(settings)
    else:
        prepared = build.prepare_build(_select_build_settings(settings))
        found = prepared.settings.out
    asked = _select(RunSettings, settings, dataset=found, out=None, name="", seed=None)
    asked = _select(RunSettings, asked, workers=settings.concurrency)
    check_model(asked)
    import_altair()
    if prepared and (status := build.run_prepared(prepared)):
        return status
    if status := run_model(asked):
        return status
    transcripts = locate_transcripts(asked)
    scores = folder_beside(found, "score") / transcripts.stem
    status = score.run(
        score.Settings(
            dataset=found,
            predictions=str(transcripts),
            out=scores,
            missing="ignore" if settings.limit else "wrong",
        )
    )
    pages = folder_beside(found, "report") / transcripts.stem
    return status or report.run(
        report.Settings(results=(str(scores),), dataset=(str(found),), out=pages)
    )


def _select_build_settings(settings: EvalArguments) -> Any:
    """Return the settings of the build; each suite and profile has a dataset of its own."""
    chosen = _select(BuildSettings, settings, suites=(settings.suite,))
    name = chosen.name or f"{Path(settings.suite).stem}-{chosen.profile or 'paper'}"
    return _select(BuildSettings, chosen, name=name)


def _refuse_build_keys(settings: EvalArguments) -> None:
    """Raise ValueError if a key of a build is set, which a dataset that exists ignores."""
    told = [
        name
        for name, (_, item) in _BUILD_KEYS.items()
        if name not in ("workers", "progress") and getattr(settings, name) != item.default
    ]
    if told:
        raise ValueError(
            f"{settings.suite} is built already, so {', '.join(told)} would change nothing; leave "
            f"{'it' if len(told) == 1 else 'them'} out, or name a suite instead of the folder"
        )


def _select(kind: type[S], settings: object, **own: object) -> S:
    """Return settings of another verb with the values of their common keys.

    Args:
        kind: the other settings.
        settings: the values.
        own: values that differ.
    """
    names = [item.name for item in fields(kind) if hasattr(settings, item.name)]  # type: ignore[arg-type]
    return kind(**{**{name: getattr(settings, name) for name in names}, **own})


def redact_error(text: str) -> str:
    """Return an error about an argument without secrets."""
    return SecretRedactor(list_environment_secrets()).format_error(text)
