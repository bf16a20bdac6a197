"""The command line: `facelet <verb> key=value ...` finds the verb's module and runs it.

Each verb is a module with HELP and `run(words) -> exit code`. Only the verb's own module is loaded,
so that scoring needs no Hydra and `--help` answers at once. Exit codes: 0 done, 1 the answer is no
(an audit refused, a proof failed), 2 the command was wrong, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from facelet import __version__
from facelet.pipeline.words import plain, unknown

VERBS: dict[str, tuple[str, str]] = {
    "build": (
        "facelet.pipeline.build.cli",
        "make a dataset from a configuration; resumes where it stopped",
    ),
    "certify": (
        "facelet.pipeline.cube.certify",
        "prove the optimal depth of states or maneuvers, one a line",
    ),
    "verify": (
        "facelet.pipeline.verify.cli",
        "prove a dataset's labels again from its published files",
    ),
    "audit": (
        "facelet.pipeline.audit.audit",
        "measure a dataset's fairness from its published files",
    ),
    "run": ("facelet.pipeline.environment.asking", "ask a model on a server; resumes"),
    "requests": ("facelet.pipeline.requests.cli", "write batch files for OpenAI or vLLM"),
    "harness": ("facelet.pipeline.adapters.harness", "write tasks for lm-eval or lmms-eval"),
    "score": ("facelet.pipeline.scoring.cli", "score a file of predictions against a dataset"),
    "ladder": ("facelet.pipeline.ladder.cli", "how far up its levels a model climbs"),
    "next": ("facelet.pipeline.ladder.asking", "the questions that open ladders are asked next"),
    "evolve": ("facelet.pipeline.evolve.cli", "what to build next, by what a model scored"),
    "finetune": (
        "facelet.pipeline.finetune.cli",
        "make chats for fine-tuning, disjoint from the test sets",
    ),
    "info": ("facelet.pipeline.info", "show what a dataset holds"),
    "publish": (
        "facelet.pipeline.publish.cli",
        "put a dataset on the Hub as a version; shows first, sends on confirm=yes",
    ),
    "unseal": (
        "facelet.pipeline.publish.unseal",
        "bring public rows and their keys together again",
    ),
    "diff": (
        "facelet.pipeline.publish.diff",
        "which rows of two datasets differ, why, and the version that follows",
    ),
    "play": ("facelet.pipeline.environment.cli", "take an episode yourself, in the terminal"),
}
"""Verb, its module, and what it does."""

HELP = "\n".join(
    [
        "facelet <verb> [key=value ...]",
        "",
        "Certified, rendered, fairness-balanced spatial-reasoning datasets, and their scorer.",
        "",
        "Verbs:",
        *(f"  {verb:<8} {doc}" for verb, (_, doc) in VERBS.items()),
        "",
        "facelet <verb> --help explains the verb and all its keys.",
        "",
        "Start here:",
        "  facelet build profile=smoke                      # a small dataset, in seconds",
        "  facelet info data/out/facelet-smoke",
        "  facelet play dataset=data/out/facelet-smoke      # take an item yourself",
        "  facelet build depths=1-20                        # the papers' counts at every depth",
        "  facelet score dataset=data/out/facelet-paper predictions=FILE.jsonl",
    ]
)


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line; return its exit code.

    Args:
        words: the words after the program's name; those of this process by default.
    """
    words = list(sys.argv[1:] if words is None else words)
    if len(words) > 1 and words[0] == "help":
        words = [words[1], "--help"]
    if not words or words[0] in ("-h", "--help", "help"):
        print(HELP)
        return 0 if words else 2
    if words[0] in ("-V", "--version"):
        print(f"facelet {__version__}")
        return 0
    verb, rest = words[0], words[1:]
    try:
        if verb not in VERBS:
            raise unknown("verb", verb, list(VERBS))
        module = import_module(VERBS[verb][0])
        if any(word in ("-h", "--help") for word in rest):
            print(module.HELP.rstrip())
            return 0
        return int(module.run(rest))
    except ValueError as error:
        print(plain(f"facelet {verb}: {error}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nfacelet {verb}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except OSError as error:
        print(plain(f"facelet {verb}: {error}"), file=sys.stderr)
        return 2
