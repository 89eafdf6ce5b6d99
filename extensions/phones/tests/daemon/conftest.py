"""What the tests of the daemon's side share."""

from __future__ import annotations

from tests.device.daemon.conftest import manager

__all__ = ["manager"]
