"""What a score says of the dataset holds under every attack on its rows, pictures and hashes."""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import score_verb as cli
from describing import describe_folder, read_manifest
from PIL import Image

from facelet.pipeline.dataset import content_check, file_integrity
from facelet.pipeline.dataset.row_hashes import hash_file
from facelet.pipeline.scoring.scored_dataset import open_dataset
from facelet.renderers.pixel_hash import pixel_hash_png

CONFIG = "toy.letters"
NAME = f"{CONFIG}/test-00000-of-00001.parquet"

RECOMPUTED = "verified: recomputed from the rows of all splits scored; pictures were not decoded"
DECODED = "verified: recomputed from the rows of all splits scored, and their pictures have the"
LISTED = "files match manifest.json; the content hash was not recomputed"
EXPECTED = "verified: manifest.json is the expected one, and the files match it"
NOTHING = "UNVERIFIED: its files were not compared"


def picture(colour: int, level: int = 6) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (4, 4), (colour, 0, 0)).save(file, "PNG", compress_level=level)
    return file.getvalue()


@dataclass(frozen=True)
class AttackCase:
    """A published dataset, and a player of it who always says A."""

    data: Path
    predictions: Path
    manifest: str
    content: str

    def read_rows(self):
        return pq.read_table(self.data / NAME).to_pylist()

    def write_rows(self, rows) -> None:
        schema = pq.read_schema(self.data / NAME)
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), self.data / NAME)

    def cover_up(self) -> None:
        """Write the hash of the file as it is now into the manifest."""
        content = read_manifest(self.data)
        (shard,) = content["configs"][CONFIG]["splits"]["test"]["shards"]
        path = self.data / NAME
        shard |= {"sha256": hash_file(path), "bytes": path.stat().st_size}
        (self.data / "manifest.json").write_text(json.dumps(content))

    def score(self, capsys, tmp_path, *words: str) -> tuple[int, str]:
        """Return the exit status, and what the terminal and, if it was scored, the report say."""
        out = tmp_path / "out"
        place = [f"dataset={self.data}", f"predictions={self.predictions}", f"out={out}"]
        status = cli.run_score([*place, *words])
        captured = capsys.readouterr()
        if status:
            return status, captured.err
        first, document = captured.out.splitlines()[0], (out / "results.md").read_text()
        told = next(line for line in document.splitlines() if line.startswith("Dataset content"))
        about = json.loads((out / "results.json").read_text())["dataset"]
        for text in (first, told):
            assert about["content_hash"] in text
        said = first.partition(f"{about['content_hash']}, ")[2]
        assert said and said in told, "terminal and report say the same"
        return status, first


@pytest.fixture
def case(publish, letter_rows, jsonl) -> AttackCase:
    rows = letter_rows(8)
    for number, row in enumerate(rows):
        name = f"{CONFIG}/d{row['difficulty']:02d}/{number:06d}"
        data = picture(number)
        row["images"] = [{"bytes": data, "path": f"{name}#0.png"}]
        row["image_hashes"] = [pixel_hash_png(data)]
    data = publish({"toy/letters": rows})
    ids = [row["id"] for row in pq.read_table(data / NAME).to_pylist()]
    records = [{"id": name, "prediction": "Answer: A"} for name in ids]
    content = read_manifest(data)["content_hash"]
    return AttackCase(data, jsonl(records), hash_file(data / "manifest.json"), content)


def change_rows(case: AttackCase) -> None:
    case.write_rows([{**row, "right": "A", "gold": "A"} for row in case.read_rows()])
    case.cover_up()


def change_rows_and_every_hash(case: AttackCase) -> None:
    case.write_rows([{**row, "right": "A", "gold": "A"} for row in case.read_rows()])
    describe_folder(case.data)


def swap_pictures(case: AttackCase) -> None:
    rows = case.read_rows()
    first, second = rows[0]["images"][0], rows[1]["images"][0]
    first["bytes"], second["bytes"] = second["bytes"], first["bytes"]
    case.write_rows(rows)
    case.cover_up()


def change_pictures_and_their_hashes(case: AttackCase) -> None:
    rows = case.read_rows()
    rows[0]["images"][0]["bytes"] = picture(200)
    rows[0]["image_hashes"] = [pixel_hash_png(picture(200))]
    case.write_rows(rows)
    case.cover_up()


def break_a_picture(case: AttackCase) -> None:
    rows = case.read_rows()
    rows[0]["images"][0]["bytes"] = b"no picture"
    case.write_rows(rows)
    case.cover_up()


def drop_a_picture(case: AttackCase) -> None:
    rows = case.read_rows()
    rows[0]["images"][0]["bytes"] = None
    case.write_rows(rows)
    case.cover_up()


def encode_pictures_anew(case: AttackCase) -> None:
    rows = case.read_rows()
    for number, row in enumerate(rows):
        row["images"][0]["bytes"] = picture(number, 0)
    case.write_rows(rows)
    case.cover_up()


def change_nothing(case: AttackCase) -> None:
    del case


HASH, PIXELS = "it has content hash", "image 0 has the pixels"
UNREADABLE = "image 0 cannot be decoded"

ATTACKS = {
    # What is said with verify=files, without the key, and with verify=rows: words or an error.
    change_nothing: (LISTED, RECOMPUTED, DECODED),
    change_rows: (LISTED, HASH, HASH),
    change_rows_and_every_hash: (LISTED, RECOMPUTED, DECODED),
    swap_pictures: (LISTED, RECOMPUTED, PIXELS),
    change_pictures_and_their_hashes: (LISTED, HASH, HASH),
    break_a_picture: (LISTED, RECOMPUTED, UNREADABLE),
    drop_a_picture: (LISTED, RECOMPUTED, UNREADABLE),
    encode_pictures_anew: (LISTED, RECOMPUTED, DECODED),
}
ERRORS = (HASH, PIXELS, UNREADABLE)


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_words_are_true_of_what_was_checked(attack, case, capsys, tmp_path):
    attack(case)
    for words, said in zip((["verify=files"], [], ["verify=rows"]), ATTACKS[attack], strict=True):
        status, text = case.score(capsys, tmp_path, *words)
        assert said in text and status == (1 if said in ERRORS else 0)
        # Under the genuine content hash, and with its rows called recomputed, stand its rows.
        if case.content in text and "recomputed from the rows" in text:
            assert attack not in (change_rows, change_pictures_and_their_hashes)
            assert attack is not change_rows_and_every_hash
        if said == LISTED:
            assert "verified" not in text.replace("not verified here", "")
    status, text = case.score(capsys, tmp_path, "verify=false")
    assert status == 0 and NOTHING in text


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("words", [(), ("verify=files",), ("verify=rows",), ("verify=false",)])
def test_an_expected_manifest_is_the_one_or_nothing_is_scored(
    attack, words, case, capsys, tmp_path
):
    attack(case)
    status, text = case.score(capsys, tmp_path, f"expect={case.manifest.upper()}", *words)
    if attack is change_nothing:
        assert status == 0 and (NOTHING if words == ("verify=false",) else EXPECTED) in text
        return
    assert status == 2 and f"expect={case.manifest}: " in text and "has SHA-256" in text
    assert not (tmp_path / "out").exists()


def test_an_expected_manifest_does_not_vouch_for_files_that_it_does_not_list(
    case, capsys, tmp_path
):
    """Rows or pictures are changed, and the manifest left as it was."""
    genuine = (case.data / "manifest.json").read_bytes()
    for attack in (change_rows, swap_pictures):
        attack(case)
        (case.data / "manifest.json").write_bytes(genuine)
        for words in ((), ("verify=files",), ("verify=rows",)):
            status, text = case.score(capsys, tmp_path, f"expect={case.manifest}", *words)
            assert status == 1 and f"{NAME} is refused: it has" in text


def test_an_expected_manifest_that_is_not_there_is_refused(case, capsys, tmp_path):
    (case.data / "manifest.json").unlink()
    status, text = case.score(capsys, tmp_path, f"expect={case.manifest}", "verify=false")
    assert status == 2 and "none, for it is not there" in text


def test_a_shard_that_is_written_to_while_it_is_read_is_refused(case):
    """After it was opened, after it was hashed, and after it was read."""
    path = case.data / NAME

    def touch_shard() -> None:
        status = path.stat()
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))

    for late in (False, True):
        (part,) = open_dataset(case.data).parts
        if late:
            assert part.is_vouched
        touch_shard()
        with pytest.raises(ValueError, match="it was written to while it was read"):
            part.read_column("gold")
    (part,) = open_dataset(case.data, "no").parts
    touch_shard()
    assert len(part.read_column("gold")) == 8


def test_a_shard_that_changes_while_it_is_hashed_is_refused(case, monkeypatch):
    read = file_integrity.read_shard

    def change_late(out, shard, each):
        found = read(out, shard, each)
        os.utime(case.data / NAME)
        return found

    monkeypatch.setattr(content_check.file_integrity, "read_shard", change_late)
    (part,) = open_dataset(case.data).parts
    with pytest.raises(ValueError, match="it was written to while it was read"):
        part.read_column("gold")
