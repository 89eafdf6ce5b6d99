"""The club's certificates, and how a table gets its own with one command."""

from __future__ import annotations

import ssl
from pathlib import Path

import msgspec
import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from device.cli.joining import NotJoined, fetched, join
from device.club.authority import Authority, NoAuthority
from device.club.bundle import LONGEST, WAITS_S, NoBundle, Waiting, locked, made, read, unlocked
from device.settings import load, template
from vision.files import NoFile


def test_it_is_made_once_and_vouches_for_its_broker_its_host_and_tables(tmp_path: Path) -> None:
    folder = tmp_path / "certificates"
    first = Authority(folder)
    first.serve(("club.local", "192.0.2.7"))
    again = Authority(folder)
    assert again.certificate == first.certificate
    assert again.context().verify_mode is ssl.CERT_REQUIRED
    own = x509.load_pem_x509_certificate(first.certificate)
    broker = x509.load_pem_x509_certificate((folder / "broker.pem").read_bytes())
    table = x509.load_pem_x509_certificate(again.certify("table-1")[0])
    for each in (broker, table):
        each.verify_directly_issued_by(own)
    names = broker.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["club.local"]
    assert list(map(str, names.get_values_for_type(x509.IPAddress))) == ["192.0.2.7"]
    assert table.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "table-1"
    assert all(file.stat().st_mode & 0o077 == 0 for file in (folder, *folder.iterdir()))


def test_the_brokers_certificate_is_made_anew_only_for_another_name_or_when_it_is_spoiled(tmp_path: Path) -> None:
    authority, path = Authority(tmp_path), tmp_path / "broker.pem"
    authority.serve(("club.local",))
    before = path.read_bytes()
    authority.serve(("club.local",))
    assert path.read_bytes() == before
    authority.serve(("hall.local",))
    renamed = path.read_bytes()
    assert renamed != before
    path.write_bytes(b"nothing")
    authority.serve(("hall.local",))
    assert path.read_bytes() not in (renamed, b"nothing")


def test_a_spoiled_authority_is_told_of_never_replaced(tmp_path: Path) -> None:
    Authority(tmp_path)
    (tmp_path / "authority.key").write_bytes(b"nothing")
    with pytest.raises(NoAuthority, match="put a copy of it back"):
        Authority(tmp_path)
    assert (tmp_path / "authority.key").read_bytes() == b"nothing"


@pytest.mark.parametrize("name", ["", "a/b", "a+", "#", "club", "Club", "broker", " table", "x" * 65, "a\nb"])
def test_names_that_no_table_may_have_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(NoBundle, match="no table may be called"):
        made(Authority(tmp_path), name, "club.local:8883")


def test_a_bundle_is_nothing_without_its_secret_and_is_had_once(tmp_path: Path) -> None:
    bundle = made(Authority(tmp_path), "table-1", "club.local:8883")
    data, secret = locked(bundle)
    assert unlocked(data, secret) == bundle
    assert b"PRIVATE" not in data
    for wrong in ("", secret[:-1], locked(bundle)[1], secret + "#"):
        with pytest.raises(NoBundle, match="not what the code belongs to"):
            unlocked(data, wrong)
    waiting = Waiting(tmp_path / "waiting")
    id = waiting.put(data)
    assert len(data) < LONGEST
    for other in ("..", "../club.db", id[:-1], id.upper() + "0", "0" * 12):
        assert waiting.take(other) is None
    assert waiting.take(id) == data
    assert waiting.take(id) is None


def test_a_bundle_that_waited_too_long_is_gone(tmp_path: Path) -> None:
    import os

    waiting = Waiting(tmp_path)
    id = waiting.put(b"data")
    old = (tmp_path / id).stat().st_mtime - WAITS_S - 1
    os.utime(tmp_path / id, (old, old))
    assert waiting.take(id) is None
    assert not list(tmp_path.iterdir())


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table file that names no broker."""
    path = tmp_path / "etc" / "table.toml"
    path.parent.mkdir()
    path.write_bytes(template("simulated").read_bytes())
    return path


def test_a_table_joins_by_a_file_and_its_table_file_names_the_broker(tmp_path: Path, table: Path) -> None:
    bundle = made(Authority(tmp_path / "club"), "table-1", "club.local:8883")
    (tmp_path / "table-1").write_bytes(msgspec.json.encode(bundle))
    before = table.read_text()
    for _ in range(2):  # a second time changes nothing
        join(table, fetched(str(tmp_path / "table-1")))
    found = load(table).herald
    assert found is not None
    assert found.broker == "club.local:8883"
    assert found.certificate.read_text() == bundle.certificate
    assert found.authority.read_text() == bundle.authority
    assert found.key.read_text() == bundle.key
    assert found.key.stat().st_mode & 0o037 == 0
    assert table.read_text().startswith(before.rstrip())
    ssl.create_default_context(cafile=str(found.authority)).load_cert_chain(found.certificate, found.key)


def test_a_table_of_another_club_is_changed_by_hand_alone(tmp_path: Path, table: Path) -> None:
    join(table, made(Authority(tmp_path / "club"), "table-1", "club.local:8883"))
    before = table.read_text()
    with pytest.raises(NotJoined, match=r"names another broker: put this in the place of its \[herald\]"):
        join(table, made(Authority(tmp_path / "other"), "table-1", "other.local:8883"))
    assert table.read_text() == before


def test_what_is_no_bundle_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoFile):
        fetched(str(tmp_path / "none"))
    (tmp_path / "text").write_text("hello")
    with pytest.raises(NoBundle, match="no file of a club"):
        fetched(str(tmp_path / "text"))
    with pytest.raises(NoBundle, match=r"nothing was to be had at http://127\.0\.0\.1:9/join/1"):
        fetched("http://127.0.0.1:9/join/1#secret")
    with pytest.raises(NoBundle, match="no file of a club"):
        read(b"[" * 10_000)
