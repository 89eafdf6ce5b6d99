"""Matches of a tab are signed, and files of matches are verified there as `referee verify` does."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from typer.testing import CliRunner

from device.locale import LANGUAGES
from extensions.tab.tests.forging import forged
from extensions.tab.tests.test_table import Browser
from referee_record.public_entries import heads
from referee_record.public_key import check_by_openssl
from referee_record.signed_record import read
from referee_record.table_key import TableKey
from referee_tab import records
from tests.commands import app
from tools.tampering import KINDS, Kind

KEPT = Path(__file__).parents[2] / "record/tests/kept"
"""Signed records that tables exported."""


def has_signed(key: str, message: str, signature: str) -> bool:
    return check_by_openssl(bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signature))


def key_of(seed: str) -> TableKey:
    return TableKey(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed)))


def public_of(seed: str) -> str:
    return key_of(seed).public


def sign(seed: str, message: str) -> str:
    return key_of(seed).sign(bytes.fromhex(message)).hex()


def verified(data: bytes, notes: str = "", language: str = "en") -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(records.verify(data, notes, language, has_signed))
    return found


def by_command(folder: Path, data: bytes, notes: str, language: str = "en") -> dict[str, Any]:
    """Return what the command line says of the same file."""
    (folder / "match").write_bytes(data)
    (folder / "notes").write_text(notes)
    words = ["verify", str(folder / "match"), "--heads", str(folder / "notes"), "--language", language, "--json"]
    found: dict[str, Any] = msgspec.json.decode(CliRunner().invoke(app, words).stdout)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_tampered_record_gets_the_words_of_the_command_line(tmp_path: Path, kind: Kind) -> None:
    data, notes = forged(kind)
    assert verified(data, notes) == {"is": "found", **by_command(tmp_path, data, notes)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("file", sorted(KEPT.iterdir()), ids=lambda path: path.name)
def test_a_tables_record_gets_the_words_of_the_command_line(tmp_path: Path, file: Path, language: str) -> None:
    data = file.read_bytes()
    assert verified(data, "", language) == {"is": "found", **by_command(tmp_path, data, "", language)}


@pytest.mark.parametrize(
    ("data", "notes", "said", "why"),
    [
        (b"", "", "Это не партия", "match, line 1: "),
        (b"[Event]", "", "Это не партия", "match, line 1: it is not signed"),
        ((KEPT / "runes-2.signed").read_bytes(), "0 12", "Записи не читаются", "notes, line 1: "),
        ((KEPT / "runes-2.signed").read_bytes().replace(b'"game":"runes"', b'"game":"go"'), "", "Здесь эту", "go"),
    ],
)
def test_what_is_no_record_is_said_with_the_reason(data: bytes, notes: str, said: str, why: str) -> None:
    found = verified(data, notes, "ru")
    assert found["is"] == "fault"
    assert found["said"].startswith(said)
    assert why in found["why"]


class Ended(Browser):
    """A match in a tab that seat A gave up. names: of the seats."""

    def __init__(self, folder: Path, *names: str) -> None:
        super().__init__(folder)
        self.tab = self.table()
        self.tab.set_up("tellstones", 2)
        for link, name in enumerate(names, start=1):
            self.tab.hear(link, msgspec.json.encode({"name": name}).decode())
        self.time += 1
        menu = self.sheets[1]["menu"]
        resigns = {"serial": menu["serial"], "line": menu["lines"].index("Resign"), "menu": True}
        self.tab.hear(1, msgspec.json.encode({"tap": resigns}).decode())
        self.tap(self.tab, 1, 1)

    def save(self) -> bytes:
        records.save(self.tab, 1, public_of, sign)
        return base64.b64decode(self.others[-1]["part"])


def test_a_match_of_a_tab_is_signed_and_verified(tmp_path: Path) -> None:
    ended = Ended(tmp_path)
    data = ended.save()
    assert (verified(data)["result"], verified(data)["wrong"]) == ("consistent", None)
    own = tuple(heads(read(data).links))
    notes = "".join(f"{head.n} {head.short}\n" for head in (own[0], own[-1]))
    assert verified(data, notes)["result"] == "verified"
    assert ended.save() == data, "the key of a tab stays"
    changed = data.replace(b'"seat":"a"', b'"seat":"b"')
    assert changed != data
    assert verified(changed)["result"] == "refused"


def test_the_pages_show_the_heads_that_verify_a_match(tmp_path: Path) -> None:
    ended = Ended(tmp_path)
    assert ended.tab.lacks_heads()
    records.note_heads(ended.tab, public_of, sign)
    assert not ended.tab.lacks_heads()
    notes = "\n".join(ended.sheets[1]["ending"]["heads"])
    assert verified(ended.save(), notes)["result"] == "verified"


def heads_told(browser: Browser, link: int) -> list[str]:
    return [text for text in browser.sheets[link]["told"] if "write down head 0: " in text]


def test_the_first_head_is_shown_before_the_first_move_and_stays_the_same(tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    tab, turn = browser.tellstones()
    records.note_heads(tab, public_of, sign)
    (shown,) = heads_told(browser, turn)
    browser.tap(tab, turn, 0)
    records.note_heads(tab, public_of, sign)
    assert heads_told(browser, turn) == [shown]


def test_nothing_hidden_is_revealed_of_players_who_did_not_agree(tmp_path: Path) -> None:
    data = Ended(tmp_path, "Anna").save()
    assert b"Anna" not in data
    assert read(data).entries == ()
    assert verified(data)["result"] == "partly"


def test_a_match_that_goes_on_is_not_signed(tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    tab, turn = browser.tellstones()
    records.save(tab, turn, public_of, sign)
    assert not any("part" in each for each in browser.others)


def test_a_signature_that_openssl_refuses_is_not_even_shown_to_the_page() -> None:
    data = (KEPT / "runes-2.signed").read_bytes()
    record = read(data)
    at, signed = next((at, link) for at, link in enumerate(record.links) if link.signature)
    half = int.from_bytes(bytes.fromhex(signed.signature)[32:], "little") + records._ORDER
    longer = signed.signature[:64] + half.to_bytes(32, "little").hex()
    found = msgspec.json.decode(
        records.verify(data.replace(signed.signature.encode(), longer.encode()), "", "en", lambda *_: True)
    )
    assert (found["result"], found["wrong"]["link"]) == ("refused", at)
