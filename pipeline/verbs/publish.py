"""Put a dataset on the Hub as a version; lists first, sends with confirm=yes.

Puts a dataset on the Hugging Face Hub as a version that never changes. Before it sends anything, it
checks the hash of every file and row, the audit's record in the manifest, that card and changelog
belong to this build, and that the version fits what changed since the newest one on the Hub.

Without confirm=yes it stops there and lists files, bytes, hashes and target. With it, the files go
to the branch staging-v1.2.0 and are downloaded from there and compared, hash by hash. Only then one
commit puts them on main, and the tag v1.2.0 names it. main never contains half a version, and a tag
never moves. If the connection breaks, repeat the command to resume.

Only what the manifest lists is sent, with the manifest, card, changelog, croissant.json and
eval.yaml. .facelet/ and other files stay here, and symbolic links are refused. The card on the Hub
shows how to load the version, and its changelog what changed.

With answers=split the rows of evaluation splits contain what a model is shown and no answer; the
two folders are made in OUT.sealed. Build with a seed that nobody can guess, because the seed is
enough to build the answers. Hiding prevents copying of labels, not computing them: see the card.

Log in with a token that may write (hf auth login, or HF_TOKEN); Facelet never sees it. HF_ENDPOINT
names another Hub.

Examples:
  facelet publish data/out/facelet-paper repo=org/name version=1.0.0
  facelet publish data/out/facelet-paper repo=org/name version=1.0.0 confirm=yes
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key

_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is published where, and how."""

    dataset: Path = key("What to publish.", allowed="the folder of a built dataset", place=True)
    repo: str = key("The dataset repository on the Hub.", allowed="organization/name")
    version: str = key(
        "The version. It must be above the newest one there, by the part that the change asks for "
        "(facelet diff --help).",
        allowed="MAJOR.MINOR.PATCH, such as 1.2.0",
    )
    public: bool = key(
        "Make a repository that is not there yet public. The visibility of one that is there is "
        "never changed.",
        False,
    )
    benchmark: bool = key(
        "Write eval.yaml, by which the Hub knows a benchmark; leave it out if the Hub refuses it.",
        True,
    )
    confirm: Literal["yes", "no"] = key(
        "Send it. Without it nothing is sent: what would be sent is listed.", "no"
    )
    answers: Literal["with", "split"] = key(
        "split: rows go up without their answers, each with a commitment to them, and the keys go "
        "to a repository of their own.",
        "with",
        group="Answers",
    )
    keys_repo: str = key(
        "Where the keys go with answers=split: private, and gated.",
        "",
        allowed="organization/name",
        shown="<repo>-keys",
        group="Answers",
    )
    secret: Path | None = key(
        "What the commitments are salted with. Keep it, and use the same for all versions.",
        None,
        allowed="a file; made if missing",
        shown="<dataset>.sealed/secret",
        group="Answers",
    )


def run(settings: Settings) -> int:
    """Publish a dataset.

    Raises:
        ValueError: a value will not do, or the dataset or its version is not fit.
        OSError: the connection to the Hub broke.
    """
    if settings.answers == "with" and (settings.secret or settings.keys_repo):
        raise ValueError(
            "secret and keys_repo need answers=split; add it, or leave them out to publish the "
            "rows with their answers"
        )
    repo, keys_repo = settings.repo, settings.keys_repo or f"{settings.repo}-keys"
    if not _REPO.fullmatch(repo):
        raise ValueError(f"repo={repo} is not a repository; write organization/name")
    if not _REPO.fullmatch(keys_repo) or keys_repo == repo:
        raise ValueError(
            f"keys_repo={keys_repo} is not a repository; write another organization/name"
        )
    from huggingface_hub import get_token
    from huggingface_hub.utils.tqdm import disable_progress_bars

    from facelet.pipeline.publish import answer_split, dataset_diff, release_files
    from facelet.pipeline.publish.hub_repository import HubRepository
    from facelet.pipeline.publish.publisher import publish_dataset

    version, out = dataset_diff.parse_version(settings.version), settings.dataset
    manifest = release_files.check_folder(out)
    if settings.confirm == "yes" and get_token() is None:
        raise ValueError("not logged in; run `hf auth login` or set HF_TOKEN, then repeat")
    disable_progress_bars()
    sealed = None
    if settings.answers == "split":
        place = out.with_name(f"{out.name}.sealed")
        secret = settings.secret or place / "secret"
        sealed = answer_split.split_answers(out, manifest, place, answer_split.load_secret(secret))
        print(sanitize_text(f"public rows: {sealed.public}; keys: {sealed.keys}; secret: {secret}"))
        out, manifest = sealed.public, release_files.check_folder(sealed.public)
    return publish_dataset(
        out,
        manifest,
        HubRepository(repo),
        version,
        keys=(sealed.keys, HubRepository(keys_repo)) if sealed else None,
        public=settings.public,
        confirm=settings.confirm,
        registered=settings.benchmark,
    )
