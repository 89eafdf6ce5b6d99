"""The options of a match as typed values (config/games/fence.toml): every ruling that the rulebook leaves open."""

from __future__ import annotations

import msgspec

from engine.game import Options

TRACK = 6
"""Squares of the stamina track (F8), and cards in a full hand (F10)."""

HAND = 6

TIMER = 12
"""Cards of the timer deck in basic and advanced mode (F67)."""

OVERTIME = 4
"""Cards of the timer deck in overtime (F100)."""

OFFER = 10
"""Still turns after which the passivity rule is offered (F105)."""


class Rules(msgspec.Struct, frozen=True):
    """One field an option, under its name; see there for what the values mean."""

    mode: str = "basic"
    bout: str = "pool"
    tutorial_points: int = 10
    starter: str = "coin"
    stamina: str = "enforced"
    passivity: int = 0
    tosses: str = "referee"
    start_gap: int = 2
    two_moves: bool = True
    both_actions: bool = False
    must_answer: bool = False
    refill_first: str = "attacker"
    double_level: str = "always"
    tutorial_timer: str = "all"
    period_timer: str = "all"
    positions: str = "always"
    payment: str = "paid"
    late_defence: bool = True
    glide_after_parry: bool = True
    parry_rounding: str = "up"
    distance_speed: str = "effective"
    feint_after_defence: bool = True
    disengage: str = "engaged"
    joker_toe_touch: bool = True
    joker_beats_all: bool = False
    joker_replaced: bool = True
    riposte_position: bool = True
    infighting_defence: str = "short-or-lunge"
    infighting_riposte: str = "slower"
    counter_time: str = "counter-attacks"
    angulations: str = "any"
    renewed_after_distance: bool = True

    @property
    def tutorial(self) -> bool:
        return self.mode == "tutorial"

    @property
    def basic(self) -> bool:
        return self.mode == "basic"

    @property
    def advanced(self) -> bool:
        return self.mode == "advanced"

    @property
    def periods(self) -> int:
        """F63, F121; the tutorial has one timer deck (F57)."""
        if self.bout == "pool" or self.tutorial:
            return 1
        return 3 if self.advanced else 2

    @property
    def goal(self) -> int:
        """Points that win: F15, F63, F121."""
        if self.bout == "pool":
            return 5
        return self.tutorial_points if self.tutorial else 15 if self.advanced else 10

    @property
    def priced(self) -> bool:
        """Whether the stamina points printed on cards count: never in the tutorial (F41)."""
        return self.stamina == "enforced" and not self.tutorial


def rules_of(options: Options) -> Rules:
    """The options of a match, which are complete and checked."""
    return msgspec.convert(dict(options), Rules)
