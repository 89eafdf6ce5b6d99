"""Root, as commands see it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def given_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Be root; return what is given to the owner of the table's folder."""
    found = list[Path]()

    def chown(path: Path, user: int, group: int, *, follow_symlinks: bool) -> None:
        assert (user, group, follow_symlinks) == (tmp_path.stat().st_uid, tmp_path.stat().st_gid, False)
        found.append(path)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", chown)
    return found
