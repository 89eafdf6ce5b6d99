"""The catalogue as tests read it: config/games/*.toml."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.catalogue import AnyGame, GameSpec, make

CONFIG = Path(__file__).resolve().parents[2] / "config"


def spec(name: str) -> GameSpec:
    return msgspec.toml.decode((CONFIG / "games" / f"{name}.toml").read_bytes(), type=GameSpec)


def game(name: str) -> AnyGame:
    found = spec(name)
    return make(found, {key: _read(CONFIG / path) for key, path in found.data.items()})


def _read(path: Path) -> object:
    decode = msgspec.json.decode if path.suffix == ".json" else msgspec.toml.decode
    return decode(path.read_bytes())
