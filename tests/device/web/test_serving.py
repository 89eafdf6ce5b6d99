"""The address that is printed is one that a phone can open."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from device.web.serving import EVERYWHERE, is_own, own_address, url


class Probe:
    """A socket of a machine with one address in its network, or none."""

    own: str | None = "192.168.4.20"

    def __init__(self, family: int, kind: int) -> None:
        self.six = family == socket.AF_INET6
        assert kind == socket.SOCK_DGRAM, "nothing is sent"

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None: ...

    def connect(self, address: tuple[str, int]) -> None:
        assert (":" in address[0]) == self.six
        if self.own is None:
            raise OSError("Network is unreachable")

    def getsockname(self) -> tuple[str, int]:
        assert self.own is not None
        return ("fd00::20" if self.six else self.own), 40000


@pytest.fixture
def wires(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of this machine's network cards; none at first."""
    addresses: list[str] = []
    monkeypatch.setattr("device.web.serving.socket.socket", Probe)
    monkeypatch.setattr("device.web.serving._card_addresses", lambda: addresses)
    return addresses


def test_a_host_that_was_named_is_printed_as_it_is() -> None:
    assert url("127.0.0.1", 8137, "token/") == "http://127.0.0.1:8137/token/"
    assert url("table.local", 8139) == "http://table.local:8139/"
    assert url("::1", 8139) == "http://[::1]:8139/"


@pytest.mark.usefixtures("wires")
def test_for_every_address_the_one_in_the_network_is_printed() -> None:
    assert [url(host, 8137) for host in EVERYWHERE] == ["http://192.168.4.20:8137/", "http://[fd00::20]:8137/"]


@pytest.mark.usefixtures("wires")
def test_without_a_network_the_name_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.web.serving.socket.gethostname", lambda: "table.home.example")
    monkeypatch.setattr(Probe, "own", None)
    assert own_address("0.0.0.0") == ""
    assert url("0.0.0.0", 8137) == "http://table.local:8137/"


@pytest.mark.parametrize("routed", ["10.8.0.2", None])
def test_a_cards_address_is_printed_rather_than_a_tunnels_and_also_where_nothing_leads_out(
    routed: str | None, wires: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Probe, "own", routed)
    wires[:] = ["192.168.1.23"]
    assert own_address("0.0.0.0") == "192.168.1.23"


def test_of_two_cards_the_one_that_leads_out_is_printed(wires: list[str]) -> None:
    wires[:] = ["192.168.1.23", "192.168.4.20"]
    assert own_address("0.0.0.0") == "192.168.4.20"


def test_this_machines_network_cards_have_its_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from device.web import serving

    for name in ("lo", "nothere"):
        (tmp_path / name / "device").mkdir(parents=True)
    (tmp_path / "tunnel").mkdir()
    monkeypatch.setattr(serving, "CARDS", tmp_path)
    assert serving._card_addresses() == ["127.0.0.1"]
    assert is_own("127.0.0.1")
    assert not is_own("203.0.113.9")

    def refused(*_: object) -> socket.socket:
        raise OSError("Address family not supported by protocol")

    monkeypatch.setattr("device.web.serving.socket.socket", refused)
    assert own_address("0.0.0.0") == "", "as in a service that may open no socket"
