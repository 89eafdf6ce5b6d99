"""The tampering test: every kind of change in every game is refused, and it would notice if one were not."""

from __future__ import annotations

from random import Random

import pytest

from device.session.table import KnownGame
from engine.entry import Entry, Resign
from engine.match import Match, advance
from referee_record import verification
from referee_record.public_entries import EACH, heads
from referee_record.signed_record import SignedRecord
from tools import tampering
from tools.tampering import (
    CHANGES,
    FORGED,
    GAMES,
    KINDS,
    PROGRAM,
    Kind,
    Plan,
    load_game,
    make_honest,
    tamper,
    tampering_test,
    thin_signatures,
)

SEEDS = 60


@pytest.mark.thorough
def test_tampered_records_are_refused_at_the_first_wrong_entry_and_honest_ones_pass() -> None:
    found = tampering_test(SEEDS, Plan(0))
    assert (found.tampered, found.refused, found.passed, found.wrong) == (SEEDS, SEEDS, SEEDS, 0), found.notes


@pytest.mark.soak
def test_a_thousand_of_each() -> None:
    found = tampering_test(1000, Plan(0))
    assert (found.refused, found.passed, found.wrong) == (1000, 1000, 0), found.notes
    assert min(found.kinds.values()) >= 1000 // len(GAMES) // len(KINDS) * len(GAMES)


def test_a_match_that_is_to_last_and_can_only_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def resigned(game: KnownGame, match: Match, _: Random) -> tuple[Match, list[Entry]]:
        entry = Resign(match.at + 1.0, "a")
        return advance(game.game, match, entry)[0], [entry]

    monkeypatch.setattr(tampering, "_one_more", resigned)
    _, end = tampering.play_match(load_game("tellstones"), Random(1), lasts=50)
    assert isinstance(end, Resign)


def test_half_of_the_kinds_at_least_are_signed_by_the_key_itself() -> None:
    assert len(FORGED) * 2 >= len(KINDS)


@pytest.mark.quick(4)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", [Kind.MIDDLE, Kind.TO_OPENING, Kind.CONSISTENT_END, Kind.CONSISTENT_CUT])
def test_what_only_the_keys_owner_can_do_never_passes_by_the_first_and_the_last_head(kind: Kind, game: str) -> None:
    found = tamper(Plan(7, game, kind))
    assert (found.refused, found.misplaced, found.notes) == (1, 0, ())


def test_a_signature_may_be_left_out_that_a_later_one_covers_and_the_last_may_not() -> None:
    rng = Random("signatures left out")
    honest = make_honest(load_game("tellstones"), rng)
    own, left = tuple(heads(honest.record.links)), thin_signatures(honest)
    assert len(own) > EACH
    assert [bool(link.signature) for link in left.links] == [*[False] * (len(own) - 1), True]
    assert verification.verify(left, honest.known, PROGRAM, (own[0], own[-1])).result is verification.Result.VERIFIED
    changed = CHANGES[Kind.UNSIGNED](honest, rng)
    assert changed is not None
    found = verification.verify(changed.record, honest.known, PROGRAM, (own[0], own[-1]))
    assert found.result is verification.Result.REFUSED
    assert found.wrong is not None
    assert str(found.wrong.why) == "No signature covers this entry, so later entries may have been cut off."


def _blind(_record: SignedRecord, *_more: object) -> None:
    return None


@pytest.mark.parametrize(
    ("check", "kind"),
    [("_find_unsigned", Kind.SIGNATURE), ("_unequal", Kind.LEAK), ("_unlike", Kind.CONSISTENT_END)],
)
def test_a_check_that_is_left_out_is_noticed(check: str, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tamper(Plan(3, kind=kind)).wrong == 0
    monkeypatch.setattr(verification, check, _blind)
    assert tamper(Plan(3, kind=kind)).accepted == 1


@pytest.mark.parametrize("game", GAMES)
def test_an_illegal_action_is_refused_with_its_clause_though_the_key_signed_it(game: str) -> None:
    found = tamper(Plan(5, game, Kind.ILLEGAL))
    assert (found.refused, found.misplaced, found.notes) == (1, 0, ())
