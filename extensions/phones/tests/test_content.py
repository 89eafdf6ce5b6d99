"""What `referee pages` hands to the keeper, and what it says before."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.locale import LANGUAGES
from device.resources import resource
from device.settings.table import PagesSettings
from device.web.audiences import AUDIENCES
from device.web.serving import PageError, listen, own_name, systemd_sockets
from referee_phones.app import Demo
from referee_phones.content import plan
from referee_phones.plan import KEYS, handed_over, receive_plan
from tests.commands import app


@pytest.fixture
def listeners() -> Iterator[list[socket.socket]]:
    made = [socket.create_server(("127.0.0.1", 0)) for _ in AUDIENCES]
    yield made
    for each in made:
        each.close()


def test_every_audience_has_its_own_socket_port_and_page(listeners: list[socket.socket], tmp_path: Path) -> None:
    made = plan(PagesSettings(on=True, hosts=("Table.Example.",)), "ru", tmp_path, listeners)
    assert [each.audience for each in made.places] == ["table", "a", "b", "c", "d", "owner"]
    assert [each.listener for each in made.places] == [each.fileno() for each in listeners]
    assert len({each.endpoint for each in made.places}) == 6
    assert len({each.own["/app.json"].body for each in made.places}) == 6
    assert made.files["/"].kind.startswith("text/html")
    assert made.names == ("table.example", own_name())
    assert {(language, key) for language in made.sentences for key in made.sentences[language]} == {
        (language, key) for language in LANGUAGES for key in KEYS
    }
    assert made.sentence("away", "xx") == made.sentence("away", "ru") != made.sentence("away", "en")
    assert receive_plan(handed_over(made)) == made
    assert made.shut_in


def test_the_tables_page_may_show_the_seats_of_a_virtual_table_and_of_no_real_one(
    listeners: list[socket.socket], tmp_path: Path
) -> None:
    ports = [each.getsockname()[1] for each in listeners]
    demo = Demo({"a": "http://127.0.0.1:1/", "b": "http://127.0.0.1:2/"}, False, {})
    pages = PagesSettings(on=True)
    real, virtual = (plan(pages, "en", tmp_path, listeners, demo=each).places for each in (None, demo))
    assert all((each.shown, each.shown_by) == ((), ()) for each in real)
    assert [each.shown for each in virtual] == [(ports[1], ports[2]), (), (), (), (), ()]
    assert [each.shown_by for each in virtual] == [(), (ports[0],), (ports[0],), (), (), ()]


def table(folder: Path, more: str) -> Path:
    path = folder / "table.toml"
    path.write_text(f'runtime_dir = "{folder}"\n[camera]\nsource = "none"\n{more}', encoding="utf-8")
    return path


def test_where_the_table_file_wants_no_pages_there_are_none_and_nothing_has_failed(tmp_path: Path) -> None:
    file = table(tmp_path, "[pages]\non = true\n")
    file.write_text(resource("tables", "two-seats.toml").read_text(encoding="utf-8"), encoding="utf-8")
    told = CliRunner().invoke(app, ["pages", "--table", str(file)])
    assert told.exit_code == 0
    assert "wants no pages" in told.output


def test_a_port_that_is_taken_is_told_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        file = table(tmp_path, f"[pages]\non = true\nport = {min(number, 65_000)}\n")
        told = CliRunner().invoke(app, ["pages", "--table", str(file), "--host", "127.0.0.1"])
        assert number > 65_000 or isinstance(told.exception, PageError)
        with pytest.raises(PageError, match="do this"):
            listen("127.0.0.1", number, "do this")


def test_sockets_of_another_process_are_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LISTEN_FDS", "5")
    monkeypatch.setenv("LISTEN_PID", str(os.getpid() + 1))
    assert systemd_sockets() == ()
