"""Show which rows of two datasets differ, why, and the version that follows.

Shows which rows of two dataset folders are new, gone or changed, in which columns, and which change
of the configuration explains it: task version, params, seed. Rows are matched by id, pictures by
the hashes of their pixels. The last line names the part of a semantic version that must change:

  major  a row in both asks, shows, answers or judges something else, or a row or column is gone
  minor  rows, splits, configs or columns were added, and the old ones are unchanged
  patch  the rows are the same, or differ only in their provenance

Before 1.0.0 a major change increases the second number. Splits with equal content hashes are not
read: this command trusts the manifests, and `facelet verify` checks them.

Examples:
  facelet diff data/out/january data/out/february
  facelet diff data/out/january data/out/february since=1.2.0 rows=10
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is compared, and how much of it is shown."""

    old: Path = key("The older dataset.", allowed="a dataset folder", place=True)
    new: Path = key("The newer dataset.", allowed="a dataset folder", place=True)
    since: str = key(
        "The version of the older dataset; the one that follows is printed.",
        "",
        allowed="a version such as 1.2.0",
    )
    rows: int = key("Ids that are shown of each kind of change.", 3, low=0)


def run(settings: Settings) -> int:
    """Compare two datasets; 0 whatever differs.

    Raises:
        ValueError: a dataset or the version is bad.
    """
    from facelet.pipeline.publish import dataset_diff
    from facelet.pipeline.publish.dataset_diff import compare_datasets

    since = dataset_diff.parse_version(settings.since) if settings.since else None
    found = compare_datasets(settings.old, settings.new)
    for change in found.changes:
        print(
            sanitize_text(
                f"{change.config}/{change.split}  {change.change_level.label}  "
                f"{change.summary_line()}"
            )
        )
        for kind in ("new", "gone", "changed"):
            ids = getattr(change, kind)
            for name in ids[: settings.rows]:
                print(sanitize_text(f"  {kind:8} {name}"))
            if settings.rows and len(ids) > settings.rows:
                print(f"  {kind:8} and {len(ids) - settings.rows:,} more")
    for line in found.manifest_changes:
        print(sanitize_text(line))
    print(f"{found.same} splits are the same, {len(found.changes)} differ")
    follows = (
        f": {since} -> {dataset_diff.next_version(since, found.change_level)}" if since else ""
    )
    print(f"{found.change_level.label}{follows}")
    return 0
