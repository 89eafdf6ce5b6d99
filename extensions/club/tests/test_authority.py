"""The club's certificates, and how a table gets its own with one command."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
from contextlib import suppress
from pathlib import Path
from threading import Thread

import msgspec
import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from device.settings import load, template
from referee_club.authority import Authority, NoAuthority
from referee_club.club import ARCHIVE, NoClub, Settings, change_settings, run, settings
from referee_club.invitations import WAITS_S, Waiting, make_bundle
from referee_record.herald.bundle import LONGEST, Bundle, NoBundle, lock_bundle, read, unlock_bundle
from referee_record.joining import NotJoined, fetch_bundle, join
from vision.files import BadFile, NoFile


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


@pytest.mark.parametrize(
    "name", ["", "a/b", "a+", "#", "club", "Club", "broker", " table", "x" * 65, "a\nb", "localhost", "club.local"]
)
def test_names_that_no_table_may_have_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(NoBundle, match="no table may be called"):
        make_bundle(Authority(tmp_path), name, "club.local:8883")


def test_a_bundle_is_nothing_without_its_secret_and_is_had_once(tmp_path: Path) -> None:
    bundle = make_bundle(Authority(tmp_path), "table-1", "club.local:8883")
    data, secret = lock_bundle(bundle)
    assert unlock_bundle(data, secret) == bundle
    assert b"PRIVATE" not in data
    for wrong in ("", secret[:-1], lock_bundle(bundle)[1], secret + "#"):
        with pytest.raises(NoBundle, match="not what the code belongs to"):
            unlock_bundle(data, wrong)
    waiting = Waiting(tmp_path / "waiting")
    id = waiting.put(data)
    assert len(data) < LONGEST
    for other in ("..", "../club.db", id[:-1], id.upper() + "0", "0" * 12):
        assert waiting.take(other) is None
    assert waiting.take(id) == data
    assert waiting.take(id) is None


def test_a_bundle_that_waited_too_long_is_gone(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    id = waiting.put(b"data")
    old = (tmp_path / id).stat().st_mtime - WAITS_S - 1
    os.utime(tmp_path / id, (old, old))
    assert waiting.take(id) is None
    assert not list(tmp_path.iterdir())


def test_bundles_that_waited_too_long_go_when_another_is_put(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    old = waiting.put(b"old")
    long_ago = (tmp_path / old).stat().st_mtime - WAITS_S - 1
    os.utime(tmp_path / old, (long_ago, long_ago))
    assert [each.name for each in tmp_path.iterdir()] == [old]
    young = waiting.put(b"young")
    assert [each.name for each in tmp_path.iterdir()] == [young]


def test_a_bundle_that_cannot_be_read_waits_on(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path)
    (tmp_path / ("0" * 12)).mkdir()
    with pytest.raises(BadFile):
        waiting.take("0" * 12)
    assert (tmp_path / ("0" * 12)).exists()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table file that names no broker."""
    path = tmp_path / "etc" / "table.toml"
    path.parent.mkdir()
    path.write_bytes(template("simulated").read_bytes())
    return path


def test_a_table_joins_by_a_file_and_its_table_file_names_the_broker(tmp_path: Path, table: Path) -> None:
    bundle = make_bundle(Authority(tmp_path / "club"), "table-1", "club.local:8883")
    (tmp_path / "table-1").write_bytes(msgspec.json.encode(bundle))
    before = table.read_text()
    for _ in range(2):  # a second time changes nothing
        join(table, fetch_bundle(str(tmp_path / "table-1")))
    found = load(table).herald
    assert found is not None
    assert found.broker == "club.local:8883"
    assert found.certificate.read_text() == bundle.certificate
    assert not list(found.certificate.parent.parent.glob("*.new"))
    assert found.authority.read_text() == bundle.authority
    assert found.key.read_text() == bundle.key
    assert found.key.stat().st_mode & 0o037 == 0
    assert table.read_text().startswith(before.rstrip())
    ssl.create_default_context(cafile=str(found.authority)).load_cert_chain(found.certificate, found.key)


def test_a_table_file_may_quote_the_files_of_its_club_either_way(tmp_path: Path, table: Path) -> None:
    authority = Authority(tmp_path / "club")
    join(table, make_bundle(authority, "table-1", "club.local:8883"))
    table.write_text(table.read_text().replace('"', "'"))
    renewed = make_bundle(authority, "table-1", "club.local:8883")
    join(table, renewed)
    found = load(table).herald
    assert found is not None
    assert found.certificate.read_text() == renewed.certificate


def test_a_table_of_another_club_is_changed_by_hand_alone(tmp_path: Path, table: Path) -> None:
    join(table, make_bundle(Authority(tmp_path / "club"), "table-1", "club.local:8883"))
    before, known = table.read_text(), load(table).herald
    assert known is not None
    files = (known.certificate, known.key, known.authority)
    kept = [file.read_bytes() for file in files]
    with pytest.raises(NotJoined, match=r"names another broker: put this in the place of its \[herald\]") as told:
        join(table, make_bundle(Authority(tmp_path / "other"), "table-1", "other.local:8883"))
    assert table.read_text() == before
    assert [file.read_bytes() for file in files] == kept, "its own club still takes it"
    named = re.findall('= "(/.+)"', str(told.value))
    assert len(named) == 3
    assert all(Path(each).exists() for each in named), "what is to be put in is there"


def test_the_heralds_user_reads_them_whatever_roots_umask_is(tmp_path: Path, table: Path) -> None:
    before = os.umask(0o077)
    try:
        join(table, Bundle("table-1", "club.local:8883", "c", "k", "a"))
    finally:
        os.umask(before)
    found = load(table).herald
    assert found is not None
    folder = found.key.parent
    modes = [
        path.stat().st_mode & 0o777 for path in (found.certificate, found.authority, found.key, folder, folder.parent)
    ]
    assert modes == [0o644, 0o644, 0o640, 0o755, 0o755]


def test_a_table_that_is_added_anew_takes_the_new_files(tmp_path: Path, table: Path) -> None:
    authority = Authority(tmp_path / "club")
    join(table, make_bundle(authority, "table-1", "club.local:8883"))
    table.write_text(f"{table.read_text()}delay_s = 900\n")
    again = make_bundle(authority, "table-1", "club.local:8883")
    join(table, again)
    found = load(table).herald
    assert found is not None
    assert (found.key.read_text(), found.certificate.read_text()) == (again.key, again.certificate)
    assert found.delay_s == 900


@pytest.mark.parametrize(
    "name", ["my_laptop.local", "fd00::1", "../../elsewhere", "caf\N{LATIN SMALL LETTER E WITH ACUTE}.local"]
)
def test_a_broker_that_no_table_file_may_name_is_refused_and_leaves_the_table_as_it_is(
    tmp_path: Path, table: Path, name: str
) -> None:
    with pytest.raises(NoBundle, match="start the club with another --name"):
        make_bundle(Authority(tmp_path / "club"), "table-1", f"{name}:8883")
    with pytest.raises(NoClub, match="no table finds a host by the name"):
        change_settings(tmp_path / "club", {"name": name})
    before = table.read_bytes()
    with pytest.raises(NotJoined, match="was left as it is"):
        join(table, Bundle("table-1", f"{name}:8883", "c", "k", "a"))
    assert table.read_bytes() == before
    assert not (table.parent / "herald").exists()


@pytest.mark.parametrize("name", ["my_laptop", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "_"])
def test_a_machines_own_name_can_always_be_a_brokers(
    monkeypatch: pytest.MonkeyPatch, name: str, tmp_path: Path
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: name)
    assert change_settings(tmp_path, {}).name in ("mylaptop.local", "caf.local", "linux.local")


def test_a_club_that_lost_its_authority_makes_no_new_one(tmp_path: Path) -> None:
    (tmp_path / ARCHIVE).touch()
    with pytest.raises(NoAuthority, match="put a copy of it back"):
        asyncio.run(run(tmp_path, Settings("club.local"), lambda *_: None))
    assert not list((tmp_path / "certificates").iterdir())


def test_a_folder_of_other_things_is_not_closed_to_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "letter").touch()
    with pytest.raises(NoClub, match="holds other things than a club, such as letter"):
        asyncio.run(run(tmp_path, Settings("club.local"), lambda *_: None))
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_file_is_no_folder_of_a_club(tmp_path: Path) -> None:
    (tmp_path / "letter").touch()
    with pytest.raises(NoClub, match="letter is a file and no folder"):
        settings(tmp_path / "letter")
    with pytest.raises(NoClub, match="letter is a file and no folder"):
        change_settings(tmp_path / "letter", {})


def test_each_certificate_says_what_it_is_for(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.serve(("club.local",))
    for pem, use in (
        ((tmp_path / "broker.pem").read_bytes(), ExtendedKeyUsageOID.SERVER_AUTH),
        ((tmp_path / "club.pem").read_bytes(), ExtendedKeyUsageOID.CLIENT_AUTH),
        (authority.certify("table-1")[0], ExtendedKeyUsageOID.CLIENT_AUTH),
    ):
        found = x509.load_pem_x509_certificate(pem).extensions.get_extension_for_class(x509.ExtendedKeyUsage)
        assert list(found.value) == [use]


def test_broker_and_table_believe_each_other_under_the_strictest_rules(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.serve(("club.local",))
    broker = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=authority.certificate.decode())
    broker.verify_mode = ssl.CERT_REQUIRED
    broker.load_cert_chain(tmp_path / "broker.pem", tmp_path / "broker.key")
    table = authority.context()
    strict = ssl.VerifyFlags.VERIFY_X509_STRICT | ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN  # Python 3.13's own
    for context in (broker, table):
        context.verify_flags |= strict
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        table.wrap_bio(back, there, server_hostname="club.local"),
        broker.wrap_bio(there, back, server_side=True),
    )
    for _ in range(3):
        for end in ends:
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()
    ends[0].write(b"heard")
    assert ends[1].read() == b"heard"


@pytest.mark.parametrize("answer", [b"garbage\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n" + bytes(LONGEST + 1)])
def test_what_is_no_answer_is_a_sentence(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with server.accept()[0] as client:
                client.recv(4096)
                with suppress(OSError):
                    client.sendall(answer)

        thread = Thread(target=serve)
        thread.start()
        with pytest.raises(NoBundle, match="nothing was to be had"):
            fetch_bundle(f"http://127.0.0.1:{server.getsockname()[1]}/join/abc#s")
        thread.join()


@pytest.mark.parametrize("code", ["http://h:81x/join/abc#s", "http://[x/join/abc#s"])
def test_an_address_that_is_none_is_a_sentence(code: str) -> None:
    with pytest.raises(NoBundle, match="nothing was to be had"):
        fetch_bundle(code)


def test_what_is_no_bundle_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoFile):
        fetch_bundle(str(tmp_path / "none"))
    (tmp_path / "text").write_text("hello")
    with pytest.raises(NoBundle, match="no file of a club"):
        fetch_bundle(str(tmp_path / "text"))
    with pytest.raises(NoBundle, match=r"nothing was to be had at http://127\.0\.0\.1:9/join/1"):
        fetch_bundle("http://127.0.0.1:9/join/1#secret")
    with pytest.raises(NoBundle, match="no file of a club"):
        read(b"[" * 10_000)
