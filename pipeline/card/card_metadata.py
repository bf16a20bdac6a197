"""Build the YAML header of a dataset card, for the Hub's viewer and `load_dataset`.

Features come from the shards' own schema, counts from the manifest, sizes from the footers.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
from datasets import DatasetInfo, Features, SplitDict, SplitInfo
from huggingface_hub import DatasetCardData

from facelet.pipeline.card.citations import dataset_title, list_suites
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.manifest_entries import ConfigEntry
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import is_training
from facelet.pipeline.dataset.store_address import arrow_source

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)


def build_metadata(out: Path, manifest: Manifest) -> DatasetCardData:
    """Return the card's YAML: what the Hub's viewer and `datasets.load_dataset` read."""
    rows, said = count_rows(manifest), manifest.to_record()
    names = list(manifest.configs)
    suites = list_suites(said)
    return DatasetCardData(
        pretty_name=dataset_title(said),
        language=["en"],
        license="cc-by-4.0",
        size_categories=[next((name for top, name in _SIZES if rows < top), "n>10M")],
        task_categories=["image-text-to-text"],
        tags=[
            "benchmark",
            "spatial-reasoning",
            "multimodal",
            "synthetic",
            *(suite.replace("_", "-") for suite in suites),
        ],
        annotations_creators=["machine-generated"],
        source_datasets=["original"],
        canary=_find_canary(manifest),
        configs=[
            {
                "config_name": name,
                "data_files": [
                    {"split": split, "path": f"{name}/{split}-*.parquet"} for split in config.splits
                ],
                **({"default": True} if name == names[0] else {}),
            }
            for name, config in manifest.configs.items()
        ],
        dataset_info=[
            _build_dataset_info(out, name, config)._to_yaml_dict()
            for name, config in manifest.configs.items()
        ],
    )


def _find_canary(manifest: Manifest) -> str | None:
    """Return the canary, if any split is evaluation data; else None, which is not written."""
    splits = {split for _, split, _ in manifest.iterate_splits()}
    return None if all(map(is_training, splits)) else manifest.canary


def _build_dataset_info(out: Path, name: str, config: ConfigEntry) -> DatasetInfo:
    """Return what `datasets` is told about one config."""
    files = {s.name: s for s in dataset_reader.list_splits(out) if s.config == name}
    splits = SplitDict(
        {
            split: SplitInfo(
                split, _compute_uncompressed_bytes(files[split]), inside.rows, dataset_name=None
            )
            for split, inside in config.splits.items()
        }
    )
    return DatasetInfo(
        config_name=name,
        features=Features.from_arrow_schema(next(iter(files.values())).arrow_schema()),
        splits=splits,
        download_size=sum(inside.bytes for inside in config.splits.values()),
        dataset_size=sum(split.num_bytes for split in splits.values()),
    )


def _compute_uncompressed_bytes(split: dataset_reader.SplitFiles) -> int:
    """Return the bytes of a split's columns before compression, from the footers."""
    return sum(map(_compute_uncompressed_file_bytes, split.paths))


def _compute_uncompressed_file_bytes(path: Path) -> int:
    # The footer of a file of many columns is a megabyte in memory; a split may have any number.
    footer = pq.read_metadata(arrow_source(path))
    return sum(footer.row_group(group).total_byte_size for group in range(footer.num_row_groups))


def count_rows(manifest: Manifest) -> int:
    """Return the number of rows of a dataset."""
    return sum(split.rows for _, _, split in manifest.iterate_splits())
