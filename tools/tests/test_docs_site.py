"""The docs site where what the table in a tab needs cannot be fetched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import tab
from tools.browser_python import Unfetched
from tools.site import build


def test_in_ci_a_site_without_its_table_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def unfetched(_folder: Path) -> None:
        raise Unfetched("npm gives nothing")

    monkeypatch.setattr(tab, "build", unfetched)
    monkeypatch.setattr(sys, "argv", ["build", str(tmp_path / "site")])
    monkeypatch.setenv("CI", "true")
    assert build.main() == 1
    assert not (tmp_path / "site").exists()
