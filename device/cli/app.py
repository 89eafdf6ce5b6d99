"""The whole tree of commands: `referee` and its subcommands."""

from __future__ import annotations

from device.cli.tree import tree

app = tree()
