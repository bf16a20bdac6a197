"""The papers' tables: every cell is the printed one."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from facelet.pipeline.papers import printed_tables as module
from facelet.pipeline.papers.printed_tables import list_papers, load_tables, tables_path

_SPEC = importlib.util.spec_from_file_location("printed", Path(__file__).parent / "printed.py")
printed = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(printed)


def arrange_numbers(paper, number, model, found):
    """Return printed numbers in the order of our columns."""
    if paper == "marble" and number in ("6", "9", "10"):  # mean and deviation in one cell
        return found[0::2] + found[1::2]
    if (paper, number) == ("cubebench", "5") and len(found) == 17:
        return found[:8] + found[9:]  # the text has one 0.00 more than the table has columns
    return found


@pytest.mark.parametrize("paper", list_papers())
def test_every_cell_is_the_printed_one(paper):
    ours = [(table.number, row) for table in load_tables(paper).values() for row in table.rows]
    lines = printed.printed_rows(paper)
    assert [number for number, _ in ours] == [number for number, _ in lines]
    cells = 0
    for (number, row), (_, line) in zip(ours, lines, strict=True):
        want = [value for value in row.values if value is not None]
        found = arrange_numbers(paper, number, row.model, printed.row_numbers(line))
        assert found == want, (number, row.model)
        cells += len(want)
    assert cells > 80


def test_every_table_of_results_is_here():
    """The rest are words or settings: Cube Bench 1 and 2, CubeBench 1 and 7, and so on."""
    there = {paper: [int(number) for number in load_tables(paper)] for paper in list_papers()}
    assert there == {
        "cube_bench": [*range(3, 9)],
        "cubebench": [*range(2, 7)],
        "evolarena": [*range(2, 48)],
        "inf_bench": [*range(1, 8)],
        "marble": [2, *range(4, 11)],
    }
    assert sum(map(len, there.values())) == 72


@pytest.mark.parametrize(
    ("line", "is_row"),
    [
        ("GPT-5\tBasic\t0.75\t0.00", True),
        ("1192\t\t\t\t(± 3.06)\t(± 3.22)", True),
        ("Human\t-\t$37.5 \\pm 22.2$\t<b>0.0</b>", True),
        ("610\t\t666\t\t667", False),
        ("GPT-5\tBasic\tFull Symbolic\tNo reward\t8", False),
        ("Model\t$O = 0.0$\t$O = 0.2$", False),
    ],
)
def test_the_check_knows_a_row_of_numbers(line, is_row):
    assert printed.is_result_row(line) is is_row


def test_the_check_finds_what_is_not_there_and_what_is_not_here(tmp_path, capsys):
    lines = [
        line for paper in list_papers() for _, row in printed.printed_rows(paper) for line in row
    ]
    (tmp_path / "all.txt").write_text("\n".join(lines))
    assert printed.main(tmp_path) == 0
    (tmp_path / "all.txt").write_text("\n".join([*lines[1:], lines[-1], "A model\t1.5\t2.5"]))
    assert printed.main(tmp_path) == 1
    out = capsys.readouterr().out
    assert "no text has" in out and "A model" in out and "2 rows of the texts are not here" in out


def test_half_widths_of_all_classes_are_the_mean_of_theirs():
    """So it is known where those stand that the text lacks."""
    compared = 0
    for row in load_tables("evolarena")["7"].rows:
        widths = row.values[15:]
        for level in range(3):
            *classes, mean = widths[level::3]
            if None not in (*classes, mean):
                assert mean == pytest.approx(sum(classes) / 4, abs=0.02), (row.model, level)
                compared += 1
    assert compared == 57


@pytest.mark.parametrize("paper", list_papers())
def test_values_fit_their_units(paper):
    for table in load_tables(paper).values():
        assert table.mean_columns
        for row in table.rows:
            assert len(row.values) == len(table.columns)
            for value, column in zip(row.values, table.columns, strict=True):
                if value is not None and column.unit == "%":
                    assert 0 <= value <= 100
                if value is not None and column.unit == "1":
                    assert -1 <= value <= 1


def test_a_changed_cell_is_seen(tmp_path, monkeypatch):
    content = json.loads(tables_path("marble").read_text())
    content["tables"][0]["rows"][3]["values"][2] += 0.1
    (tmp_path / "tables.json").write_text(json.dumps(content))
    monkeypatch.setattr(module, "tables_path", lambda paper: tmp_path / "tables.json")
    load_tables.cache_clear()
    with pytest.raises(AssertionError):
        test_every_cell_is_the_printed_one("marble")
    load_tables.cache_clear()


def test_averages_of_evolarena_are_those_of_its_classes():
    table = load_tables("evolarena")["2"]
    for row in table.rows[:-1]:
        for level in range(3):
            classes = [row.values[3 * part + level] for part in range(4)]
            assert row.values[12 + level] == pytest.approx(sum(classes) / 4, abs=0.6)


def test_an_unknown_paper_is_named():
    with pytest.raises(ValueError, match="no tables of the paper 'other'; there are cube_bench"):
        load_tables("other")
