"""Adds `referee simulate` and `referee conformance`."""

from __future__ import annotations

from device.extensions import Extension

extension = Extension(
    "simulator",
    commands={"simulate": "referee_simulator.command", "conformance": "referee_simulator.conformance.command"},
)
