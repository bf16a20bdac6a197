"""Diff: which rows of two datasets are new, gone or changed, why, and which version follows."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.publish import versions
from facelet.pipeline.publish.differences import compare
from facelet.pipeline.words import Key, check_range, expand, help_table, plain, read_words

KEYS = (
    Key("old", "str", "", "a dataset folder", "The older dataset; the first plain word sets it."),
    Key("new", "str", "", "a dataset folder", "The newer dataset; the second plain word sets it."),
    Key(
        "since",
        "str",
        "",
        "a version such as 1.2.0",
        "The version of the older dataset; the one that follows is printed.",
    ),
    Key("rows", "int", "3", "0 or more", "Ids that are shown of each kind of change."),
)

HELP = f"""facelet diff OLD NEW [key=value ...]

Says which rows of two dataset folders are new, gone or changed, in which columns, and what of the
configuration explains it: task version, params, seed. Rows are matched by id; pictures by the
hashes of their pixels. The last line is the part of a semantic version that must move:

  major  a row that both hold asks, shows, answers or judges otherwise, or a row or column is gone
  minor  there are more rows, splits, configs or columns; what was there is as it was
  patch  the rows are the same, or differ in their provenance alone

Before 1.0.0 a major change moves the second number. Splits whose content hashes agree are not read:
the manifests are believed; `facelet verify` says whether they are right.

Keys, with their defaults:
{help_table(KEYS)}

Examples:
  facelet diff data/out/january data/out/february
  facelet diff data/out/january data/out/february since=1.2.0 rows=10
"""


def run(words: Sequence[str]) -> int:
    """Compare two datasets from the command line; 0 whatever differs.

    Raises:
        ValueError: a key or a dataset is bad.
    """
    names = iter(("old", "new"))
    named = [word if "=" in word else f"{next(names, 'too many words')}={word}" for word in words]
    values = read_words(named, KEYS)
    for name in ("old", "new"):
        if not values.get(name):
            raise ValueError(f"{name} is not set; write facelet diff OLD NEW, two dataset folders")
    shown = check_range("rows", int(str(values.get("rows", 3))), 0)
    since = versions.parse(str(values["since"])) if values.get("since") else None
    found = compare(expand(str(values["old"])), expand(str(values["new"])))
    for change in found.changes:
        print(plain(f"{change.config}/{change.split}  {change.level.word}  {change.words()}"))
        for kind in ("new", "gone", "changed"):
            ids = getattr(change, kind)
            for name in ids[:shown]:
                print(plain(f"  {kind:8} {name}"))
            if shown and len(ids) > shown:
                print(f"  {kind:8} and {len(ids) - shown:,} more")
    for line in found.whole:
        print(plain(line))
    print(f"{found.same} splits are the same, {len(found.changes)} differ")
    follows = f": {since} -> {versions.following(since, found.level)}" if since else ""
    print(f"{found.level.word}{follows}")
    return 0
