"""`referee owner`: whose the table is, with the card in hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.cli.app import app
from device.daemon.guests import Why
from device.owner.claim import Claim, back, joined, plain
from device.owner.keeping import Deed

KEY = "0123456789abcdef" * 2


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    more = '[pages]\non = true\nhosts = ["table.local"]\n[camera]\nsource = "none"\n'
    path.write_text(f'state_dir = "{tmp_path}"\nruntime_dir = "{tmp_path}"\n{more}', encoding="utf-8")
    return path


def told(table: Path, *words: str) -> str:
    result = CliRunner().invoke(app, ["owner", "--table", str(table), *words])
    assert result.exit_code == 0, result.output
    return result.output


def claim(deed: Deed) -> None:
    found = joined(deed.claim(), deed.codes(), deed.codes().own, KEY)
    assert isinstance(found, Claim)
    deed.keep(found)


def test_the_code_is_told_until_somebody_owns_the_table(table: Path) -> None:
    deed = Deed(table.parent)
    assert "no code is set" in told(table)
    assert "ABCD-1234-EF" in told(table, "code", "abcd1234ef")
    assert "http://table.local:8144/" in told(table)
    claim(deed)
    assert "has an owner" in told(table)
    assert "ABCD" not in told(table)


def test_an_owner_who_is_forgotten_needs_a_new_code(table: Path) -> None:
    deed = Deed(table.parent)
    told(table, "code")
    before = deed.codes().own
    claim(deed)
    said = told(table, "forget")
    assert back(deed.claim(), KEY) is Why.REVOKED
    assert deed.codes().own != before
    assert plain(deed.codes().own) in said.replace("-", "")


def test_a_code_that_is_too_short_is_refused(table: Path) -> None:
    result = CliRunner().invoke(app, ["owner", "--table", str(table), "code", "1234567"])
    assert result.exit_code == 2
    assert "at least 8" in result.output
    assert not Deed(table.parent).codes().own
