"""What tests of sockets share."""

from __future__ import annotations

import socket

import pytest


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
