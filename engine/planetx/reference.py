"""The reference card: pages of short lines, shown as help screens."""

from __future__ import annotations

from engine.game import Options
from engine.planetx.sky import MODES, Mode
from engine.text import Text, say


def reference(options: Options) -> tuple[tuple[Text, ...], ...]:
    """What a player wants to look up: the sky, the actions, the score."""
    mode = MODES[str(options["mode"])]
    return (_sky(mode), _neighbours(mode), _actions(mode), _phases(), _score(mode))


def _sky(mode: Mode) -> tuple[Text, ...]:
    """X2, X3."""
    return (
        say("The sky"),
        say("Asteroids: {count}", count=mode.count("A")),
        say("Comets: {count}", count=mode.count("C")),
        say("Dwarf planets: {count}", count=mode.count("D")),
        say("Gas clouds: {count}", count=mode.count("G")),
        say("Truly empty: {count}", count=mode.count("E")),
        say("Comets only in {sectors}", sectors=", ".join(map(str, mode.comet_sectors))),
    )


def _neighbours(mode: Mode) -> tuple[Text, ...]:
    """X4-X7."""
    band = () if mode.dwarf_band is None else (say("Dwarf planets span exactly {n} sectors", n=mode.dwarf_band),)
    return (
        say("Neighbours"),
        say("An asteroid touches an asteroid"),
        say("A gas cloud touches a truly empty sector"),
        say("Planet X touches no dwarf planet"),
        say("Planet X shows as empty"),
        *band,
    )


def _actions(mode: Mode) -> tuple[Text, ...]:
    """X31-X35."""
    wide = (say("Survey 7 to 9 sectors: 2"),) if mode.half > 6 else ()
    return (
        say("Actions and their time"),
        say("Survey 1 to 3 sectors: 4"),
        say("Survey 4 to 6 sectors: 3"),
        *wide,
        say("Target, twice a game: 4"),
        say("Research, never twice running: 1"),
        say("Locate Planet X: 5"),
    )


def _phases() -> tuple[Text, ...]:
    """X20, X50-X55."""
    return (
        say("Turns and theories"),
        say("The last pawn acts"),
        say("A theory is reviewed in its third phase"),
        say("Wrong: the pawn advances by 1"),
        say("Right: the sector is settled"),
    )


def _score(mode: Mode) -> tuple[Text, ...]:
    """X63-X65."""
    return (
        say("Points"),
        say("First right theory in a sector: 1"),
        say("Asteroid 2, comet 3, gas cloud 4"),
        say("Dwarf planet: {points}", points=4 if mode.dwarf_band is None else 2),
        say("Planet X first: 10"),
        say("Planet X later: 2 a sector behind"),
    )
