"""`referee pages` with sockets that systemd opened."""

from __future__ import annotations

import socket

import pytest

from device.web import serving
from device.web.serving import PageError
from referee_phones import command as pages


def test_units_of_a_newer_version_may_open_more_sockets_but_not_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a step back the program is older than the units."""
    opened = tuple(socket.socket() for _ in range(3))
    monkeypatch.setattr(serving, "systemd_sockets", lambda: opened)
    try:
        assert pages.listening("127.0.0.1", 0, 2) == opened[:2]
        assert [each.fileno() == -1 for each in opened] == [False, False, True]
        with pytest.raises(PageError, match="systemd opened 3 sockets, not 4"):
            pages.listening("127.0.0.1", 0, 4)
    finally:
        for each in opened:
            each.close()
