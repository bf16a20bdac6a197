"""Let people answer the rows that models get, on a page of this machine.

Serves a page: purpose and consent, two practice items with feedback, then items without feedback,
in an order of each person's own, with attention checks and breaks. Replies have the row's own form,
so that `facelet score` grades them like a model's. The address names the person (PROLIFIC_PID or
person). Reopening the same URL resumes the session, and the last page shows a completion code. Stop
the server with Ctrl-C; repeat the command to resume.

out/transcripts.jsonl is for `facelet score`, with the model human/NAME and the seconds of each
turn; out/people.jsonl has every reply, and the answers to attention checks.

Examples:
  facelet human dataset=data/out/facelet-paper limit=3
  facelet human dataset=data/out/facelet-paper configs=SUITE.TASK limit=20 code=C1ABC2

Exit status: 0 stopped, 2 a bad option, no such dataset, an address that cannot be used.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.shell_commands import format_command

PURPOSE = (
    "You will be asked puzzles that language models are asked as well, so that people and models "
    "can be compared. Your answers and the time that each takes are kept under the name in the "
    "address, and nothing else is."
)
"""What people are told unless the caller says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What people are asked, and where."""

    dataset: Path = key(
        "The dataset.", allowed="a folder that holds a built or downloaded dataset", place=True
    )
    out: Path | None = key(
        "Where the files of the study go. What is there is gone on with.",
        None,
        allowed="a folder; made if missing",
        shown="<dataset>.people",
    )
    suites: tuple[str, ...] = key("Suites that are asked.", (), allowed="names; [] for all")
    configs: tuple[str, ...] = key("Configs that are asked.", (), allowed="names; [] for all")
    split: str = key("The split.", "test", allowed="the name of a split")
    limit: int = key("Items of each config, spread over its levels.", 3, low=1)
    seed: int = key("Root of the orders, and of completion codes.", 0)
    checks: int = key("Items between two attention checks; 0 for none.", 10, low=0)
    pause: int = key("Items between two breaks; 0 for none.", 15, low=0)
    purpose: str = key(
        "What people are told before they agree.",
        PURPOSE,
        allowed="any text",
        shown="that people and models are compared, and what is kept",
    )
    code: str = key(
        "The completion code.", "", allowed="any text", shown="one of each person's own"
    )
    host: str = key(
        "Where the page is served; 0.0.0.0 lets other machines in.",
        "127.0.0.1",
        allowed="a name or a number of this machine",
    )
    port: int = key("The port; 0 for any that is free.", 8420, low=0, high=65_535)


def run(settings: Settings) -> int:
    """Serve the page until it is stopped, and return the exit status.

    Raises:
        ValueError: there is no such dataset, suite or config, or the address cannot be had.
    """
    from facelet.pipeline.dataset.store_address import folder_beside
    from facelet.pipeline.report.people.people_server import PeopleServer
    from facelet.pipeline.report.people.people_sessions import (
        TRANSCRIPTS,
        StudySettings,
        choose_items,
        open_sessions,
    )

    folder = settings.dataset
    out = settings.out or folder_beside(folder, "people")
    study = StudySettings(
        choose_items(folder, settings.suites, settings.configs, settings.split, settings.limit),
        settings.seed,
        settings.checks,
        settings.pause,
        settings.purpose,
        settings.code,
    )
    with open_sessions(study, out) as sessions:
        try:
            server = PeopleServer((settings.host, settings.port), sessions)
        except OSError as error:
            place, why = f"host={settings.host} port={settings.port}", error.strerror or error
            raise ValueError(
                f"{place} cannot be used: {why}; choose another port, or port=0"
            ) from None
        with server:
            host, port = str(server.server_address[0]), server.server_address[1]
            total = sum(map(len, study.study_items.items.values()))
            print(sanitize_text(f"{total} items for each person; files in {out}"))
            print(
                sanitize_text(f"open http://{host}:{port}/?person=NAME (Ctrl-C stops)"), flush=True
            )
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                pass
    print(
        sanitize_text(
            f"\nscore it: {format_command('score', dataset=folder, predictions=out / TRANSCRIPTS)}"
        )
    )
    return 0
