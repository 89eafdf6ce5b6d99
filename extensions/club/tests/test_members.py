"""Who belongs to the club, and who was removed from it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from cryptography import x509
from typer.testing import CliRunner

from extensions.club.tests.test_archive import looks
from extensions.club.tests.test_ingest import listening
from extensions.record.tests.herald.table import Match
from referee_club import club
from referee_club.archive import Archive, NoArchive
from referee_club.authority import REVOKED, Authority
from referee_club.home_assistant import DISCOVERY, Home, identity
from referee_club.members import Members, NoTable
from referee_record.herald import topics
from tests.commands import app


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    made = Archive(tmp_path / club.ARCHIVE)
    yield made
    made.close()


def test_all_certificates_of_who_is_removed_end_and_a_new_one_is_good(archive: Archive, tmp_path: Path) -> None:
    authority, members = Authority(tmp_path / "certificates"), Members(archive)
    numbers = list[int]()
    for name in ("table-1", "table-1", "table-2"):
        certificate, _ = authority.certify(name)
        members.admit(name, certificate)
        numbers.append(x509.load_pem_x509_certificate(certificate).serial_number)
    assert members.remove("table-1")
    assert (members.removed_tables(), members.revoked_numbers()) == ({"table-1"}, set(numbers[:2]))
    members.admit("table-1", authority.certify("table-1")[0])
    assert (members.removed_tables(), members.revoked_numbers()) == (set(), set(numbers[:2]))
    authority.revoke(members.revoked_numbers())
    found = x509.load_pem_x509_crl((tmp_path / "certificates" / REVOKED).read_bytes())
    own = x509.load_pem_x509_certificate(authority.certificate)
    assert {each.serial_number for each in found} == set(numbers[:2])
    assert found.issuer == own.subject
    assert found.next_update_utc == own.not_valid_after_utc, "a list that has ended would let nobody in"


def test_the_hall_and_home_assistant_forget_who_is_removed_and_the_matches_stay(archive: Archive) -> None:
    match, home, reader = Match(), Home(archive, "en", str), listening(archive)
    played = looks(match)
    glance = topics.glance("table-1")
    reader.take(topics.alive("table-1"), topics.ALIVE)
    reader.take(glance, msgspec.json.encode(played))
    archive.trust("table-1", "7" * 64)
    config = f"{DISCOVERY}/{identity('table-1')}/config"
    assert dict(home.news())[config]
    assert Members(archive).remove("table-1") is False, "an earlier version made its certificate"
    assert dict(home.news())[config] == b""
    reader.take(glance, msgspec.json.encode(played), old=True)
    reader.take(topics.alive("table-1"), topics.ALIVE)
    assert archive.tables() == []
    assert archive.key("table-1") == ""
    assert [each.match for each in archive.list_matches()] == [played.match]


@pytest.mark.parametrize("removed_before", [False, True])
def test_a_certificate_of_an_earlier_version_is_remembered_under_a_new_one(
    archive: Archive, tmp_path: Path, *, removed_before: bool
) -> None:
    authority, members = Authority(tmp_path / "certificates"), Members(archive)
    for name in ("table-1", "table-2"):
        archive.trust(name, "7" * 64)
    if removed_before:
        assert not members.remove("table-1")
    members.admit("table-1", authority.certify("table-1")[0])
    archive.trust("table-1", "")
    (tmp_path / club.SETTINGS).write_bytes(msgspec.json.encode(club.Settings("hall.local")))
    done = CliRunner().invoke(app, ["club", "--folder", str(tmp_path), "remove", "table-1"])
    assert "let in no more" not in done.stdout
    assert "under another name" in done.stdout
    assert len(members.revoked_numbers()) == 1, "the new one ends all the same"


def test_an_archive_that_cannot_be_read_for_a_while_ends_no_host(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(club, "HEEDS_S", 0.001)
    authority, members, restarts = Authority(tmp_path / "certificates"), Members(archive), list[int]()
    members.admit("table-1", authority.certify("table-1")[0])
    archive.connection.execute("ALTER TABLE removed RENAME TO away")
    with pytest.raises(NoArchive, match="cannot be read"):
        members.is_removed("table-1")

    async def scenario() -> None:
        heeding = asyncio.ensure_future(
            club._heed((frozenset(), frozenset()), archive, authority, lambda: restarts.append(1))
        )
        while "cannot be read" not in caplog.text:
            await asyncio.sleep(0.01)
            assert not heeding.done()
        archive.connection.execute("ALTER TABLE away RENAME TO removed")
        members.remove("table-1")
        while not restarts:
            await asyncio.sleep(0.01)
            assert not heeding.done()
        heeding.cancel()

    asyncio.run(asyncio.wait_for(scenario(), 60))
    assert len(restarts) == 1


def test_who_is_no_table_cannot_be_removed(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(NoTable, match="no table 'table-9'"):
        Members(archive).remove("table-9")
    (tmp_path / club.SETTINGS).write_bytes(msgspec.json.encode(club.Settings("hall.local")))
    done = CliRunner().invoke(app, ["club", "--folder", str(tmp_path), "remove", "table-9"])
    assert done.exit_code != 0
