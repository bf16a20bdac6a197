"""Publishing: show what a version would send to the Hub, and send it when told to."""

from __future__ import annotations

from pathlib import Path

from facelet.pipeline.card.pictures import pictures
from facelet.pipeline.dataset import integrity, reading
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.dataset.scratch import scratch
from facelet.pipeline.publish import benchmark, contents, croissant, promotion, texts, versions
from facelet.pipeline.publish.contents import File
from facelet.pipeline.publish.differences import compare, hashes
from facelet.pipeline.publish.hub import BrokenError, Hub, State
from facelet.pipeline.publish.promotion import TRIES, Release
from facelet.pipeline.publish.texts import Before
from facelet.pipeline.publish.versions import Version
from facelet.pipeline.words import plain


def publish(
    out: Path,
    manifest: Manifest,
    hub: Hub,
    version: Version,
    *,
    keys: tuple[Path, Hub] | None = None,
    public: bool = False,
    confirm: str = "no",
    registered: bool = True,
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
        registered: whether eval.yaml goes up, by which the Hub knows a benchmark.

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
    if not registered:
        del files[benchmark.NAME]
    plan = Release(version, files, private=not public)
    _show(out, manifest, hub, plan, state, before)
    if keys is not None:
        apart = Release(version, _keys_files(keys[0]), gated=True)
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
        benchmark.NAME: benchmark.benchmark(manifest, str(version)),
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
    with scratch("publish") as folder:
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
    plan: Release,
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
