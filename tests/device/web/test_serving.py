"""The address that is printed is one that a phone can open."""

from __future__ import annotations

import socket

import pytest

from device.web.serving import EVERYWHERE, url


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


def test_a_host_that_was_named_is_printed_as_it_is() -> None:
    assert url("127.0.0.1", 8137, "token/") == "http://127.0.0.1:8137/token/"
    assert url("table.local", 8139) == "http://table.local:8139/"
    assert url("::1", 8139) == "http://[::1]:8139/"


def test_for_every_address_the_one_in_the_network_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.web.serving.socket.socket", Probe)
    assert [url(host, 8137) for host in EVERYWHERE] == ["http://192.168.4.20:8137/", "http://[fd00::20]:8137/"]


def test_without_a_network_the_name_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.web.serving.socket.socket", Probe)
    monkeypatch.setattr("device.web.serving.socket.gethostname", lambda: "table.home.example")
    monkeypatch.setattr(Probe, "own", None)
    assert url("0.0.0.0", 8137) == "http://table.local:8137/"
