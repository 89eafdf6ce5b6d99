"""All commands of `referee`, for tests that run them in their own process."""

from __future__ import annotations

from device.cli.tree import tree

app = tree()
