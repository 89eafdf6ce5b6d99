"""Results as CSV: whatever somebody is called, no spreadsheet computes it."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee_club.archive import Played
from referee_club.results import COLUMNS, harmless, write_results
from referee_record.public_frames import Seated

FORMULA = re.compile(r"[=+\-@＝＋－＠]")
SPLITS = re.compile(r"[;,|:\s\"\x00-\x1f]")
"""Places at which a spreadsheet of some locale, or somebody's choice in its dialogue, ends a cell."""


@pytest.mark.parametrize(
    ("cell", "harmless_cell"),
    [
        ("=1+1", "'=1+1"),
        ("a; =1+1", "a; '=1+1"),
        ("a;=1+1", "a;'=1+1"),
        ("a\t@SUM(1)", "a '@SUM(1)"),
        ("a\r\n+1", "a  '+1"),
        ("\t-1", " '-1"),
        ('a";"=1+1', 'a";"\'=1+1'),
        ("a|=1", "a|'=1"),
        ("\u00a0=1", "\u00a0'=1"),
        ("\ufeff=1", "\ufeff'=1"),
        ("a;＝1", "a;'＝1"),
        ("==1", "'==1"),
        ("Jean-Luc; a+b; x@y; 5=5", "Jean-Luc; a+b; x@y; 5=5"),
    ],
)
def test_no_part_of_a_cell_begins_a_formula(cell: str, harmless_cell: str) -> None:
    assert harmless(cell) == harmless_cell


@given(st.text(alphabet="a1=+-@＝;,|:\t\r\n\"' \u00a0\x0b\u2028"))
def test_a_cell_is_harmless_however_it_is_split(cell: str) -> None:
    assert not [part for part in SPLITS.split(harmless(cell)) if FORMULA.match(part)]


def test_each_cell_of_the_results_is_quoted_and_harmless() -> None:
    seats = (Seated("a", "a; =1+1", "", False), Seated("b", 'b"\n@c', "", False))
    match = Played("=m", "+t", "-g", 0.0, seats, result="@r\n=s", winners=("a",), links=1, whole=True)
    text = write_results([match]).decode("utf-8-sig")
    assert text.startswith(",".join(f'"{column}"' for column in COLUMNS))
    (line,) = csv.DictReader(io.StringIO(text))
    assert line["players"] == "a; '=1+1; b\" '@c"
    assert (line["match"], line["table"], line["game"], line["result"]) == ("'=m", "'+t", "'-g", "'@r '=s")
