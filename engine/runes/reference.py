"""The reference card, as help screens: pages of short lines."""

from __future__ import annotations

from engine.game import Options
from engine.text import Text, say


def reference(options: Options) -> tuple[tuple[Text, ...], ...]:
    """Seven pages: the set-up, the turn, the three rows of spells, special spells, the end of a turn."""
    return (_setup(options), _turn(), _moons(), _wyrms(), _knots(), _specials(), _end(options))


def _setup(options: Options) -> tuple[Text, ...]:
    """R2-R5."""
    middle = say("The Excuse: middle of the pile")
    before = options["excuse"] == "before"
    dealt = say("Deal five cards to each wizard")
    return (
        say("The beginning"),
        say("Shuffle all cards but the Excuse"),
        *((middle, dealt) if before else (dealt, middle)),
        say("Life 12 each, or as agreed"),
    )


def _turn() -> tuple[Text, ...]:
    return (
        say("The turn"),
        say("Lay a card; a fifth pushes out the oldest"),
        say("Reveal: Moons, then Wyrms, then Knots"),
        say("Within a rune: high ranks first"),
        say("Energy: all your cards"),
        say("Activation: the new card"),
    )


def _moons() -> tuple[Text, ...]:
    return (
        say("Moons: yourself"),
        say("Suns: Cold Ward, X turns"),
        say("Waves: Heat Ward, X turns"),
        say("Leaves: Heal X"),
        say("None: Shield, this turn"),
    )


def _wyrms() -> tuple[Text, ...]:
    return (
        say("Wyrms: an opponent"),
        say("Suns: Fireball X (Heat Ward)"),
        say("Waves: Ice Bolt X (Cold Ward)"),
        say("Leaves: Drain X (Shield)"),
        say("None: Jab 1 (Shield)"),
    )


def _knots() -> tuple[Text, ...]:
    return (
        say("Knots: anybody"),
        say("Suns: Haste, X turns"),
        say("Waves: Invisibility, X turns"),
        say("Leaves: Forgetfulness, X cards"),
        say("None: Confusion (Shield)"),
    )


def _specials() -> tuple[Text, ...]:
    return (
        say("From the hand"),
        say("Counter Spell: 2 activation runes"),
        say("Only physical damage still works"),
        say("Magic Mirror: 3 activation runes"),
        say("Caster and target change places"),
    )


def _end(options: Options) -> tuple[Text, ...]:
    optional = say("Draw up to two, up to five cards")
    draw = optional if options["drawing"] == "optional" else say("Draw two, up to five cards")
    return (
        say("End of the turn"),
        draw,
        say("The Excuse: shuffle, draw again"),
        say("Life 0: you are out"),
        say("The last wizard wins"),
    )
