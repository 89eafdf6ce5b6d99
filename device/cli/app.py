"""Builds the complete command tree."""

from __future__ import annotations

from device.cli.tree import tree

app = tree()
