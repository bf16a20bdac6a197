"""The verb publish: check a dataset, show what would be sent, and send it when told to."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from huggingface_hub import get_token
from huggingface_hub.utils.tqdm import disable_progress_bars

from facelet.pipeline.card.pictures import pictures
from facelet.pipeline.dataset import integrity, reading
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.publish import answers, contents, croissant, promotion, texts, versions
from facelet.pipeline.publish.contents import File
from facelet.pipeline.publish.differences import compare, hashes
from facelet.pipeline.publish.hub import BrokenError, Hub, State
from facelet.pipeline.publish.promotion import TRIES, Plan
from facelet.pipeline.publish.texts import Before
from facelet.pipeline.publish.versions import Version
from facelet.pipeline.words import Key, expand, help_table, plain, read_words

KEYS = (
    Key("dataset", "str", "", "the folder of a built dataset", "What to publish."),
    Key("repo", "str", "", "organization/name", "The dataset repository on the Hub."),
    Key(
        "version",
        "str",
        "",
        "MAJOR.MINOR.PATCH, such as 1.2.0",
        "The version. It must be above the newest one there, by the part that the change asks for "
        "(facelet diff --help).",
    ),
    Key(
        "public",
        "bool",
        "false",
        "true or false",
        "Make a repository that is not there yet public. The visibility of one that is there is "
        "never changed.",
    ),
    Key(
        "answers",
        "str",
        "with",
        "with or split",
        "split: rows go up without their answers, each with a commitment to them, and the keys go "
        "to a repository of their own.",
    ),
    Key(
        "keys_repo",
        "str",
        "<repo>-keys",
        "organization/name",
        "Where the keys go with answers=split: private, and gated.",
    ),
    Key(
        "secret",
        "str",
        "<dataset>.sealed/secret",
        "a file; made if missing",
        "What the commitments are salted with. Keep it, and use the same for all versions.",
    ),
    Key(
        "confirm",
        "str",
        "no",
        "yes or no",
        "Send it. Without it nothing is sent: what would be sent is listed.",
    ),
)

HELP = f"""facelet publish OUT repo=ORG/NAME version=1.2.0 [key=value ...]

Puts a dataset on the Hugging Face Hub as a version that never changes. Checked before anything is
sent: the hash of every file and row, the audit's record in the manifest, that card and changelog
are those of this build, and that the version fits what changed since the newest one there.

Without confirm=yes that is all: files, bytes, hashes and target are listed. With it the files go to
the branch staging-v1.2.0, are downloaded from there and compared, hash by hash, and only then one
commit puts them on main and the tag v1.2.0 names it. At no time does main hold half a version. A
tag never moves. If the connection breaks, the same command goes on where it stopped.

Only what the manifest lists goes up, with the manifest, card and changelog; .facelet/ and other
files stay here, and symbolic links are refused. The card on the Hub loads the version, and its
changelog says what changed.

With answers=split the rows of evaluation splits show what a model is shown and hold no answer; the
two folders are made in OUT.sealed. Build with a seed that nobody can guess, since whoever guesses
it builds the answers. Hiding keeps labels from being copied, not from being computed: see the card.

You need to be logged in with a token that may write (hf auth login, or HF_TOKEN); Facelet never
sees it. HF_ENDPOINT names another Hub.

Keys, with their defaults:
{help_table(KEYS)}

Examples:
  facelet publish data/out/facelet-paper repo=org/name version=1.0.0
  facelet publish data/out/facelet-paper repo=org/name version=1.0.0 confirm=yes
"""

_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}")


def run(words: Sequence[str]) -> int:
    """Publish a dataset from the command line.

    Raises:
        ValueError: a key is bad, or the dataset or its version is not fit.
        OSError: the connection to the Hub broke.
    """
    values = read_words([w if "=" in w else f"dataset={w}" for w in words], KEYS)
    for name, example in (("dataset", "OUT"), ("repo", "org/name"), ("version", "1.0.0")):
        if not values.get(name):
            raise ValueError(f"{name} is not set; give {name}={example}")
    repo, out = str(values["repo"]), expand(str(values["dataset"]))
    if not _REPO.fullmatch(repo):
        raise ValueError(f"repo={repo} is no repository; write organization/name")
    confirm = str(values.get("confirm", "no"))
    if confirm not in ("yes", "no"):
        raise ValueError(f"confirm={confirm} is neither yes nor no")
    version = versions.parse(str(values["version"]))
    how = str(values.get("answers", "with"))
    if how not in ("with", "split"):
        raise ValueError(f"answers={how} is not allowed; use with or split")
    keys_repo = str(values.get("keys_repo", f"{repo}-keys"))
    if not _REPO.fullmatch(keys_repo) or keys_repo == repo:
        raise ValueError(f"keys_repo={keys_repo} is no repository; write another organization/name")
    manifest = contents.check(out)
    if confirm == "yes" and get_token() is None:
        raise ValueError("nobody is logged in; run `hf auth login` or set HF_TOKEN, then repeat")
    disable_progress_bars()
    sealed = None
    if how == "split":
        place = out.with_name(f"{out.name}.sealed")
        secret = expand(str(values.get("secret") or place / "secret"))
        sealed = answers.seal(out, manifest, place, answers.secret_of(secret))
        print(plain(f"public rows: {sealed.public}; keys: {sealed.keys}; secret: {secret}"))
        out, manifest = sealed.public, contents.check(sealed.public)
    return publish(
        out,
        manifest,
        Hub(repo),
        version,
        keys=(sealed.keys, Hub(keys_repo)) if sealed else None,
        public=bool(values.get("public")),
        confirm=confirm,
    )


def publish(
    out: Path,
    manifest: Manifest,
    hub: Hub,
    version: Version,
    *,
    keys: tuple[Path, Hub] | None = None,
    public: bool = False,
    confirm: str = "no",
) -> int:
    """Show a version, and publish it if that is confirmed; return the exit code.

    Args:
        out: the dataset folder, which was checked.
        manifest: its manifest.
        hub: the repository.
        version: the version.
        keys: the folder of its keys, and their repository, where the answers are kept apart.
        public: whether a repository that has to be made is public.
        confirm: "yes" to send it.

    Raises:
        ValueError: the version does not fit what is on the Hub.
        BrokenError: the connection broke.
    """
    unseen = ""
    try:
        state, before = promotion.again(
            lambda: _seen(out, manifest, hub, version), _say, TRIES if confirm == "yes" else 1
        )
    except BrokenError as error:
        if confirm == "yes":
            raise
        state, before, unseen = State(None, False, {}, {}), None, str(error)
    files = version_files(out, manifest, hub, version, before)
    plan = Plan(version, files, private=not public)
    _show(out, manifest, hub, plan, state, before)
    if keys is not None:
        apart = Plan(version, _keys_files(keys[0]), gated=True)
        print(f"{keys[1].repo} {version.tag}, the keys, private and gated")
        print("\n".join(promotion.summary(apart)))
    if unseen:
        print(plain(f"The Hub could not be asked, so its versions are not known: {unseen}"))
    if confirm != "yes":
        print("Nothing was sent. Repeat with confirm=yes to publish.")
        return 0
    if keys is not None:  # first, so that there is no version without its keys
        promotion.publish(apart, keys[1], _say)
    commit = promotion.publish(plan, hub, _say)
    config = next(iter(manifest.configs))
    split = next(iter(manifest.configs[config].splits))
    print(f"{hub.repo} {version.tag} is published, commit {commit}. Load it:")
    print(f"  {texts.load_line(hub.repo, version, config, split)}")
    return 0


def _keys_files(folder: Path) -> dict[str, File]:
    """Return the files of a folder of keys, by path."""
    paths = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {name: contents.of_path(name, path) for name, path in paths.items()}


def version_files(
    out: Path, manifest: Manifest, hub: Hub, version: Version, before: Before | None
) -> dict[str, File]:
    """Return the files of a version, by path.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        hub: the repository.
        version: the version.
        before: the version before it; None if it is the first.
    """
    shown = pictures(out)  # from the rows, whatever lies in the folder
    home = f"{hub.api.endpoint}/datasets/{hub.repo}"
    card, log = ((out / name).read_text(encoding="utf-8") for name in ("README.md", "CHANGELOG.md"))
    made = {
        "README.md": texts.readme(card, hub.repo, version, home),
        "CHANGELOG.md": texts.changelog(log, version, manifest, before),
        croissant.NAME: croissant.croissant(out, manifest, hub.repo, version, hub.api.endpoint),
    }
    written = {name: text.encode() for name, text in made.items()} | shown
    files = {name: contents.of_bytes(name, content) for name, content in written.items()}
    paths = [reading.MANIFEST, *(shard.path for shard in integrity.shards(manifest))]
    return files | {path: contents.of_path(path, out / path) for path in paths}


def _say(line: str) -> None:
    print(plain(line), flush=True)


def _seen(out: Path, manifest: Manifest, hub: Hub, version: Version) -> tuple[State, Before | None]:
    """Return what is on the Hub, and the version that the new one follows; None if it is the first.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        hub: the repository.
        version: the new version.

    Raises:
        ValueError: the version does not fit the one that it follows.
    """
    state = hub.state()
    known = versions.of_tags(state.tags)
    if version in known:  # then nothing but its files is in question
        earlier = known[: known.index(version)]
        return state, _against(out, manifest, hub, earlier[-1]) if earlier else None
    if not known:
        return state, None
    before = _against(out, manifest, hub, known[-1])
    versions.check(version, before.version, before.differences.level)
    return state, before


def _against(out: Path, manifest: Manifest, hub: Hub, version: Version) -> Before:
    """Return a version on the Hub and what a dataset folder changes of it.

    Downloads its manifest and changelog, and of its shards only those of splits that differ.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        hub: the repository.
        version: the version, whose tag is there.
    """
    tree = hub.tree(version.tag)
    for name in (reading.MANIFEST, "CHANGELOG.md"):
        if name not in tree:
            raise ValueError(
                f"the tag {version.tag} of {hub.repo} has no {name}: it is no version of Facelet; "
                "publish to another repository"
            )
    with tempfile.TemporaryDirectory(prefix="facelet-publish-") as name:
        folder = Path(name)
        changelog = hub.download("CHANGELOG.md", version.tag, folder).read_text(encoding="utf-8")
        hub.download(reading.MANIFEST, version.tag, folder)
        old = reading.manifest(folder)
        now = hashes(manifest)
        for shard in integrity.shards(old):
            if now.get((shard.config, shard.split)) != hashes(old)[shard.config, shard.split]:
                hub.download(shard.path, version.tag, folder)
        found = compare(folder, out, (old, manifest))
    return Before(version, found, changelog)


def _show(
    out: Path,
    manifest: Manifest,
    hub: Hub,
    plan: Plan,
    state: State,
    before: Before | None,
) -> None:
    """Print what would be sent, and where to."""
    if state.private is None:
        place = f"a new {'private' if plan.private else 'public'} dataset repository"
    else:
        place = f"a {'private' if state.private else 'PUBLIC'} dataset repository that is there"
    print(f"{hub.repo} {plan.version.tag}, {place} at {hub.api.endpoint}")
    print("\n".join(promotion.summary(plan)))
    size = sum(file.bytes for file in plan.files.values())
    print(f"{len(plan.files)} files, {size:,} bytes, content hash {manifest.content_hash}")
    if before is not None:
        print(f"Since {before.version}, a {before.differences.level.word} change:")
        for line in before.differences.lines():
            print(plain(f"  {line}"))
    if rest := contents.left_out(out, plan.files):
        print(plain(f"Left here: {', '.join(rest)}"))
