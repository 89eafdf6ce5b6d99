"""The daemon goes on without what an extension fails to bring."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from device import extensions
from device.clock import WallClock
from device.daemon import hooks
from device.daemon.core import Core, Store
from device.daemon.hooks import PagesSetup, SigningSetup, open_pages, open_signing
from device.daemon.maintenance import Inventory, Maintenance
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import Ports, Referee
from device.extensions import Extension
from device.journal import Journal
from device.owner.health import wrong
from device.settings.table import NoCamera, PagesSettings, TableSettings
from tests.device.session import stages

ABSENT = Extension("absent", pages="nowhere.pages", signing="nowhere.signing")


def setup_of(folder: Path) -> PagesSetup:
    settings = TableSettings(NoCamera(), pages=PagesSettings(on=True), state_dir=folder, runtime_dir=folder)
    return PagesSetup(settings, folder, WallClock(), Maintenance(Inventory(settings, folder), WallClock()))


@pytest.mark.parametrize(
    ("installed", "told"),
    [((), "install table-referee[phones]"), ((ABSENT,), "open_pages of nowhere.pages fails")],
)
def test_a_table_without_a_server_of_pages_is_told_why(
    installed: tuple[Extension, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(hooks, "extensions", lambda: installed)
    setup = setup_of(tmp_path)
    assert asyncio.run(open_pages(setup)) is None
    assert setup.maintenance.pages is None
    assert told in caplog.text


def test_a_table_whose_pages_were_not_opened_is_not_well(tmp_path: Path) -> None:
    care = setup_of(tmp_path).maintenance
    core = Core(stages.table(), Store(Journal()), simulated_chance(1), Ports(), now=lambda: 0.0)
    care.begin(cast("Referee", SimpleNamespace(core=core)))
    assert "Some pages are not running: table, A" in "\n".join(map(str, wrong(care.facts())))


@pytest.mark.parametrize(
    ("installed", "told"), [((), "matches are not signed"), ((ABSENT,), "open_signing of nowhere.signing fails")]
)
def test_a_table_plays_unsigned_where_nothing_signs(
    installed: tuple[Extension, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(extensions, "extensions", lambda: installed)
    caplog.set_level("INFO")
    setup = setup_of(tmp_path)
    assert asyncio.run(open_signing(SigningSetup(setup.settings, tmp_path, setup.clock))) is None
    assert told in caplog.text
