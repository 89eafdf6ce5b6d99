"""`referee herald` hands over what the herald needs, and nothing more, or says what is missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from engine.errors import RefereeError
from extensions.record.tests.herald.certificates import Authority
from referee_record import joining
from referee_record.herald.bundle import Bundle
from referee_record.herald.herald import PORT, Plan
from referee_record.herald_command import NoCertificate
from tests.commands import app


def table(folder: Path, *lines: str) -> Path:
    path = folder / "table.toml"
    path.write_text(
        "\n".join((f'runtime_dir = "{folder}"', *lines, '[camera]\nsource = "none"', "[pages]\non = true", "")),
        encoding="utf-8",
    )
    return path


def herald(folder: Path, certificate: Path, *more: str, broker: str = "club.local:8884") -> Path:
    files = [f'certificate = "{certificate}"', 'key = "/k.pem"', 'authority = "/a.pem"']
    path = table(folder)
    text = "\n".join(("[herald]", f'broker = "{broker}"', *files, *more, ""))
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    return path


def handed_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    found = list[Plan]()

    def replaced(program: str, words: tuple[str, ...]) -> None:
        assert (program, words[:3]) == (sys.executable, (sys.executable, "-m", "referee_record.herald"))
        found.append(msgspec.json.decode(words[3], type=Plan))

    monkeypatch.setattr(os, "execv", replaced)
    done = CliRunner().invoke(app, ["herald", "--table", str(path)], catch_exceptions=False)
    assert done.exit_code == 0
    (plan,) = found
    return plan


def test_a_table_without_one_has_nothing_to_do(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["herald", "--table", str(table(tmp_path))])
    assert (done.exit_code, "names no broker" in done.stdout) == (0, True)


def test_it_is_called_as_its_certificate_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, _ = Authority(tmp_path / "club").certify("table-7")
    plan = handed_over(herald(tmp_path, certificate, "delay_s = 90"), monkeypatch)
    socket = str(tmp_path / "public" / "stream.sock")
    expected = Plan(socket, "table-7", "club.local", 8884, str(certificate), "/k.pem", "/a.pem", 90.0)
    assert plan == expected
    assert handed_over(herald(tmp_path, certificate, broker="10.0.0.2"), monkeypatch).port == PORT


@pytest.mark.parametrize("name", ["a/b", "+", "table #4"])
def test_a_certificate_of_what_is_no_name_is_refused(name: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path / "club")
    made, _ = authority.certify("table-1", called=name)
    done = CliRunner().invoke(app, ["herald", "--table", str(herald(tmp_path, made))])
    assert isinstance(done.exception, NoCertificate)
    assert "a table's name has" in str(done.exception)


def test_a_file_that_is_no_certificate_and_none_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "nonsense.pem").write_text("nonsense")
    for path in (tmp_path / "nonsense.pem", tmp_path / "nothing.pem"):
        done = CliRunner().invoke(app, ["herald", "--table", str(herald(tmp_path, path))])
        assert isinstance(done.exception, RefereeError)
        assert str(path) in str(done.exception)


@pytest.mark.parametrize("broker", ["", "club.local:", "mqtt://club.local", "a b"])
def test_a_broker_that_is_no_address_is_refused_with_its_key(broker: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["herald", "--table", str(herald(tmp_path, tmp_path, broker=broker))])
    assert isinstance(done.exception, RefereeError)
    assert "herald.broker" in str(done.exception)


def test_a_code_is_used_up_only_by_a_table_that_can_take_what_it_brings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    def fetched(code: str) -> Bundle:
        asked.append(code)
        return Bundle("table-1", "club.local:8883", "c", "k", "a")

    monkeypatch.setattr(joining, "fetch_bundle", fetched)
    path = tmp_path / "table.toml"
    path.write_text("nonsense")
    words = ["herald", "--table", str(path), "--join", "-"]
    assert isinstance(CliRunner().invoke(app, words, input="code\n").exception, RefereeError)
    table(tmp_path)
    (tmp_path / "herald").touch()  # in the place of the folder
    assert isinstance(CliRunner().invoke(app, words, input="code\n").exception, RefereeError)
    assert asked == []
    (tmp_path / "herald").unlink()
    done = CliRunner().invoke(app, words, input=" http://club.local:8141/join/1#s \n", catch_exceptions=False)
    assert (done.exit_code, asked) == (0, ["http://club.local:8141/join/1#s"])
    assert "This table is table-1 at club.local:8883" in done.stdout
