"""Show what a version would upload to the Hub, and upload it on request."""

from __future__ import annotations

from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.card.card_pictures import collect_pictures
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.atomic_files import open_scratch_folder
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.publish import (
    croissant,
    dataset_diff,
    hub_repository,
    release_files,
    release_promotion,
)
from facelet.pipeline.publish.dataset_diff import Version, compare_datasets, list_content_hashes
from facelet.pipeline.publish.hub_repository import (
    ConnectionBrokenError,
    HubRepository,
    PreviousVersion,
    RepositoryState,
)
from facelet.pipeline.publish.release_files import ReleaseFile
from facelet.pipeline.publish.release_promotion import TRIES, ReleasePlan


def publish_dataset(
    out: Path,
    manifest: Manifest,
    hub: HubRepository,
    version: Version,
    *,
    keys: tuple[Path, HubRepository] | None = None,
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
        state, before = release_promotion.retry_step(
            lambda: _read_hub_state(out, manifest, hub, version),
            _print_line,
            TRIES if confirm == "yes" else 1,
        )
    except ConnectionBrokenError as error:
        if confirm == "yes":
            raise
        state, before, unseen = RepositoryState(None, False, {}, {}), None, str(error)
    files = list_version_files(out, manifest, hub, version, before)
    if not registered:
        del files[hub_repository.EVAL_YAML]
    plan = ReleasePlan(version, files, private=not public)
    _print_preview(out, manifest, hub, plan, state, before)
    if keys is not None:
        found = {
            path.relative_to(keys[0]).as_posix(): path
            for path in sorted(keys[0].rglob("*"))
            if path.is_file()
        }
        held = {name: release_files.file_from_path(name, path) for name, path in found.items()}
        apart = ReleasePlan(version, held, gated=True)
        print(f"{keys[1].repo} {version.tag_name}, the keys, private and gated")
        print("\n".join(release_promotion.list_file_lines(apart)))
    if unseen:
        print(sanitize_text(f"The Hub could not be asked, so its versions are not known: {unseen}"))
    if manifest.profile == "smoke":
        print(
            "Warning: this is a build with profile=smoke: few rows, for trying things out. Build a "
            "benchmark with profile=paper."
        )
    if confirm != "yes":
        print("Nothing was sent. Repeat with confirm=yes to publish.")
        return 0
    if keys is not None:  # first, so that there is no version without its keys
        release_promotion.publish_release(apart, keys[1], _print_line)
    commit = release_promotion.publish_release(plan, hub, _print_line)
    config = next(iter(manifest.configs))
    split = next(iter(manifest.configs[config].splits))
    print(f"{hub.repo} {version.tag_name} is published, commit {commit}. Load it:")
    print(
        f'  load_dataset("{hub.repo}", "{config}", split="{split}", revision="{version.tag_name}")'
    )
    return 0


def list_version_files(
    out: Path,
    manifest: Manifest,
    hub: HubRepository,
    version: Version,
    before: PreviousVersion | None,
) -> dict[str, ReleaseFile]:
    """Return the files of a version, by path.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        hub: the repository.
        version: the version.
        before: the version before it; None if it is the first.
    """
    shown = collect_pictures(out)  # from the rows, whatever lies in the folder
    home = f"{hub.api.endpoint}/datasets/{hub.repo}"
    card, log = ((out / name).read_text(encoding="utf-8") for name in ("README.md", "CHANGELOG.md"))
    made = {
        "README.md": hub_repository.render_readme(card, hub.repo, version, home),
        "CHANGELOG.md": hub_repository.render_changelog(log, version, manifest, before),
        croissant.NAME: croissant.render_croissant(
            out, manifest, hub.repo, version, hub.api.endpoint
        ),
        hub_repository.EVAL_YAML: hub_repository.render_eval_yaml(manifest, str(version)),
    }
    written = {name: text.encode() for name, text in made.items()} | shown
    files = {
        name: release_files.file_from_bytes(name, content) for name, content in written.items()
    }
    paths = [
        dataset_reader.MANIFEST,
        *(shard.path for shard in file_integrity.list_shards(manifest)),
    ]
    return files | {path: release_files.file_from_path(path, out / path) for path in paths}


def _print_line(line: str) -> None:
    print(sanitize_text(line), flush=True)


def _read_hub_state(
    out: Path, manifest: Manifest, hub: HubRepository, version: Version
) -> tuple[RepositoryState, PreviousVersion | None]:
    """Return what is on the Hub, and the version that the new one follows; None if it is the first.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        hub: the repository.
        version: the new version.

    Raises:
        ValueError: the version does not fit the one that it follows.
    """
    state = hub.read_state()
    known = dataset_diff.versions_from_tags(state.tags)
    if version in known:  # then nothing but its files is in question
        earlier = known[: known.index(version)]
        return state, _compare_with_version(out, manifest, hub, earlier[-1]) if earlier else None
    if not known:
        return state, None
    before = _compare_with_version(out, manifest, hub, known[-1])
    dataset_diff.check_step(version, before.version, before.differences.change_level)
    return state, before


def _compare_with_version(
    out: Path, manifest: Manifest, hub: HubRepository, version: Version
) -> PreviousVersion:
    """Return a version on the Hub and what a dataset folder changes of it.

    Downloads its manifest and changelog, and of its shards only those of splits that differ.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        hub: the repository.
        version: the version, whose tag is there.
    """
    tree = hub.list_files(version.tag_name)
    for name in (dataset_reader.MANIFEST, "CHANGELOG.md"):
        if name not in tree:
            raise ValueError(
                f"the tag {version.tag_name} of {hub.repo} has no {name}: it is "
                "no version of Facelet; "
                "publish to another repository"
            )
    with open_scratch_folder("publish") as folder:
        changelog = hub.download_file("CHANGELOG.md", version.tag_name, folder).read_text(
            encoding="utf-8"
        )
        hub.download_file(dataset_reader.MANIFEST, version.tag_name, folder)
        old = dataset_reader.read_manifest(folder)
        now = list_content_hashes(manifest)
        for shard in file_integrity.list_shards(old):
            if (
                now.get((shard.config, shard.split))
                != list_content_hashes(old)[shard.config, shard.split]
            ):
                hub.download_file(shard.path, version.tag_name, folder)
        found = compare_datasets(folder, out, (old, manifest))
    return PreviousVersion(version, found, changelog)


def _print_preview(
    out: Path,
    manifest: Manifest,
    hub: HubRepository,
    plan: ReleasePlan,
    state: RepositoryState,
    before: PreviousVersion | None,
) -> None:
    """Print what would be sent, and where to."""
    if state.private is None:
        place = f"a new {'private' if plan.private else 'public'} dataset repository"
    else:
        place = f"a {'private' if state.private else 'PUBLIC'} dataset repository that is there"
    print(f"{hub.repo} {plan.version.tag_name}, {place} at {hub.api.endpoint}")
    print("\n".join(release_promotion.list_file_lines(plan)))
    size = sum(file.bytes for file in plan.files.values())
    print(f"{len(plan.files)} files, {size:,} bytes, content hash {manifest.content_hash}")
    if before is not None:
        print(f"Since {before.version}, a {before.differences.change_level.label} change:")
        for line in before.differences.format_lines():
            print(sanitize_text(f"  {line}"))
    if rest := release_files.list_excluded(out, plan.files):
        print(sanitize_text(f"Left here: {', '.join(rest)}"))
