"""Describe a version in Croissant, with fields that the Hub's own file lacks.

The Hub makes name, description, licence, keywords and records by itself. This file, croissant.json
(Croissant 1.0, with the vocabulary for responsible AI 1.0), adds the version, how to cite, the
SHA-256 of every shard, and the datasheet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from facelet.pipeline.card.citations import dataset_bibtex, list_papers
from facelet.pipeline.card.dataset_card import build_datasheet, list_human_results
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import IMAGE
from facelet.pipeline.publish.dataset_diff import Version
from facelet.pipeline.publish.hub_repository import add_citation_address

NAME = "croissant.json"

_OWN = (
    "citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet "
    "format includes isLiveDataset jsonPath key md5 parentField path recordSet references regex "
    "repeated replace samplingRate separator source subField transform"
).split()

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _OWN},
}
"""The vocabulary, as the specification wants it in every file."""

_CONFORMS = ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]
_LICENSE = "https://creativecommons.org/licenses/by/4.0/"
_NO_HASH = "https://github.com/mlcommons/croissant/issues/80"
"""What stands for the hash of a repository, which has none."""


def render_croissant(
    out: Path, manifest: Manifest, repo: str, version: Version, endpoint: str
) -> str:
    """Return the Croissant file of a version.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        repo: the repository.
        version: the version.
        endpoint: address of the Hub.
    """
    home = f"{endpoint}/datasets/{repo}"
    people = list_human_results(list_papers(manifest.to_record()))
    content = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _CONFORMS,
        "name": manifest.name,
        "description": "Spatial-reasoning tasks for language and vision-language models, with "
        f"labels that are proven. Content hash {manifest.content_hash}.",
        "license": _LICENSE,
        "url": home,
        "version": str(version),
        "isLiveDataset": False,
        "inLanguage": "en",
        "citeAs": add_citation_address(dataset_bibtex(manifest.to_record()), home, version),
        **{s.rai: s.text for s in build_datasheet(manifest, people) if s.rai},
        "distribution": list(_iterate_distribution(manifest, home, version)),
        "recordSet": list(_iterate_record_sets(out)),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _iterate_distribution(
    manifest: Manifest, home: str, version: Version
) -> Iterator[dict[str, object]]:
    """Yield the repository, the set of each config's shards, and every shard with its hash."""
    yield {
        "@type": "cr:FileObject",
        "@id": "repo",
        "name": "repo",
        "description": "The repository at this version.",
        "contentUrl": f"{home}/tree/{version.tag_name}",
        "encodingFormat": "git+https",
        "sha256": _NO_HASH,
    }
    for config in manifest.configs:
        yield {
            "@type": "cr:FileSet",
            "@id": f"shards-of-{config}",
            "name": f"shards-of-{config}",
            "containedIn": {"@id": "repo"},
            "encodingFormat": "application/x-parquet",
            "includes": f"{config}/*.parquet",
        }
    for shard in file_integrity.list_shards(manifest):
        yield {
            "@type": "cr:FileObject",
            "@id": shard.path,
            "name": shard.path,
            "contentUrl": f"{home}/resolve/{version.tag_name}/{shard.path}",
            "contentSize": f"{shard.bytes} B",
            "encodingFormat": "application/x-parquet",
            "sha256": shard.sha256,
        }


def _iterate_record_sets(out: Path) -> Iterator[dict[str, object]]:
    """Yield the record set of each config: its columns, without those that hold structures."""
    seen = set()
    for part in dataset_reader.list_splits(out):
        if part.config in seen:
            continue
        seen.add(part.config)
        fields = []
        for column in part.arrow_schema():
            kind = column.type.value_type if pa.types.is_list(column.type) else column.type
            if (name := _croissant_type(kind)) is None:
                continue
            field = {
                "@type": "cr:Field",
                "@id": f"{part.config}/{column.name}",
                "name": f"{part.config}/{column.name}",
                "dataType": name,
                "source": {
                    "fileSet": {"@id": f"shards-of-{part.config}"},
                    "extract": {"column": column.name},
                },
            }
            fields.append(field | ({"repeated": True} if kind is not column.type else {}))
        yield {"@type": "cr:RecordSet", "@id": part.config, "name": part.config, "field": fields}


def _croissant_type(kind: pa.DataType) -> str | None:
    """Return the name of a type in Croissant; None for a structure."""
    if kind == IMAGE:
        return "sc:ImageObject"
    if pa.types.is_string(kind):
        return "sc:Text"
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else None
