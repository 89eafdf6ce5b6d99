"""Shares fixtures among the tests of the daemon's side."""

from __future__ import annotations

from tests.device.daemon.conftest import manager

__all__ = ["manager"]
