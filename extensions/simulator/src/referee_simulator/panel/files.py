"""The drawer's scripts and style, served by a simulator's gateway only."""

from __future__ import annotations

from pathlib import Path

from device.locale import LANGUAGES, translate
from engine.text import Text
from referee_phones.app import TYPES, Beside, Content
from referee_simulator.panel.words import HAND, LABEL
from vision.files import read_bytes

STATIC = Path(__file__).parent / "static"
FOLDER = "bench/"


def drawer(port: int, token: str) -> Beside:
    """Return the drawer beside the table's page. token: of its link; "" takes it from the address."""
    return _beside("bench.js", LABEL, port, token)


def cards(port: int) -> Beside:
    """Return the cards beside a seat's page, whose link needs the seat's key."""
    return _beside("cards.js", HAND["your-cards"], port, "")


def _beside(module: str, label: Text, port: int, token: str) -> Beside:
    labels = {language: translate(label, language) for language in LANGUAGES}
    return Beside(FOLDER + module, port, token, labels, files())


def files() -> dict[str, Content]:
    found = sorted(path for path in STATIC.iterdir() if path.suffix in TYPES)
    return {f"/{FOLDER}{path.name}": Content(TYPES[path.suffix], read_bytes(path)) for path in found}
