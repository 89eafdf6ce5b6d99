"""A table is claimed once, with a code of its card, by a browser's key; guessing is rationed."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest

from device.owner.claim import Claim, Codes, digest, forget_owner, open_codes, plain
from device.owner.claim_files import CODE, OWNER, OwnerFiles
from extensions.phones.tests.daemon.phone import knows
from referee_phones.daemon.claimed_pages import EACH_S, SENTENCES, TRIES, back, guesses, join
from referee_phones.daemon.handshake import KeyProof, mark
from referee_phones.daemon.seats import RefusalReason

KEY, OTHER = "0123456789abcdef" * 2, "fedcba9876543210" * 2
OWN = Codes(own="ABCDEFGH22345677")


def joins(claim: Claim, codes: Codes, code: str, key: str) -> Claim | RefusalReason:
    """A browser proves that it knows a code, and has this key from now on."""
    return join(claim, codes, key, knows(key, code))


def claimed(codes: Codes = OWN, code: str = "ABCDEFGH22345677", key: str = KEY, before: Claim | None = None) -> Claim:
    found = joins(before or Claim(), codes, code, key)
    assert isinstance(found, Claim)
    return found


def test_the_code_claims_it_for_one_key_and_is_then_used_up() -> None:
    claim = claimed()
    assert back(claim, knows(KEY)) is None
    assert back(claim, knows(OTHER)) is RefusalReason.UNKNOWN
    assert joins(claim, OWN, OWN.own, OTHER) is RefusalReason.SPENT
    assert joins(claim, Codes(own="ZZZZZZZZ"), "ZZZZZZZZ", OTHER) is RefusalReason.TAKEN


def test_neither_a_key_nor_a_code_is_kept() -> None:
    kept = msgspec.json.encode(claimed()).decode()
    assert KEY not in kept
    assert OWN.own not in kept


@pytest.mark.parametrize("card", ["abcd-efgh-2234-5677", " ABCDEFGH 22345677 "])
def test_a_code_stands_on_the_card_as_people_write(card: str) -> None:
    assert back(claimed(Codes(card=card)), knows(KEY)) is None


@pytest.mark.parametrize("wrong", ["", "ABCDEFGH", "ABCDEFGH2234567", "Ж" * 16])
def test_a_wrong_code_says_so_and_opens_nothing(wrong: str) -> None:
    assert joins(Claim(), OWN, wrong, KEY) is RefusalReason.UNKNOWN


def test_no_code_and_a_short_one_open_nothing() -> None:
    for codes in (Codes(), Codes(card="short", own="1234567")):
        assert open_codes(Claim(), codes) == ()
        for given in ("", codes.card, codes.own):
            assert joins(Claim(), codes, given, KEY) is RefusalReason.UNKNOWN
    assert plain("1234567") == ""


def test_a_new_code_on_the_card_replaces_the_owner_and_the_old_one_is_told() -> None:
    claim = claimed(Codes(card="FLASHED-CODE-1"), "FLASHEDCODE1")
    codes = Codes(card="FLASHED-CODE-1", own="ABCDEFGH22345677")
    assert joins(claim, codes, "FLASHEDCODE1", OTHER) is RefusalReason.SPENT
    assert joins(claim, codes, codes.own, OTHER) is RefusalReason.TAKEN
    second = claimed(Codes(card="FLASHED-CODE-2"), "FLASHEDCODE2", OTHER, claim)
    assert back(second, knows(OTHER)) is None
    assert back(second, knows(KEY)) is RefusalReason.REVOKED


def test_who_is_forgotten_is_told_so_and_used_codes_stay_used() -> None:
    claim = forget_owner(claimed())
    assert back(claim, knows(KEY)) is RefusalReason.REVOKED
    assert joins(claim, OWN, OWN.own, OTHER) is RefusalReason.SPENT
    assert claim.gone == (digest(KEY),)


def test_guessing_is_rationed_for_all_together() -> None:
    allowed = guesses()
    assert [allowed.take(0.0) for _ in range(TRIES + 2)] == [*[True] * TRIES, False, False]
    assert not allowed.take(EACH_S * 0.9)
    assert allowed.take(EACH_S * 2)
    assert [allowed.take(1e6) for _ in range(TRIES + 1)] == [*[True] * TRIES, False]


def test_every_refusal_has_its_sentence() -> None:
    assert SENTENCES.keys() == set(RefusalReason)


def test_what_is_kept_is_its_users_alone_and_is_read_back(tmp_path: Path) -> None:
    intent = OwnerFiles(tmp_path, tmp_path / "card.txt")
    assert intent.claim() == Claim()
    intent.furnish(7)
    code = intent.codes().own
    assert len(plain(code)) == 16
    intent.furnish(8)
    assert intent.codes().own == code, "there is one already"
    assert intent.code() == code
    intent.keep(claimed(intent.codes(), code))
    assert intent.code() == "", "somebody owns it"
    assert back(intent.claim(), knows(KEY)) is None
    for name in (OWNER, CODE):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    (tmp_path / "card.txt").write_text("flashed-again\r\nand a second line", encoding="utf-8")
    assert intent.codes().card == "flashed-again"


@pytest.mark.parametrize("damage", [b"", b"{", b'{"owner": 3}', b"\xff\xfe"])
def test_what_cannot_be_read_lets_nobody_in(tmp_path: Path, damage: bytes) -> None:
    intent = OwnerFiles(tmp_path, tmp_path / "card.txt")
    intent.set_code("ABCDEFGH22345677")
    (tmp_path / OWNER).write_bytes(damage)
    claim = intent.claim()
    assert joins(claim, intent.codes(), "ABCDEFGH22345677", KEY) is RefusalReason.TAKEN
    assert back(claim, knows(KEY)) is RefusalReason.UNKNOWN
    forged = KeyProof("?", mark(claim.owner, "?"))
    assert back(claim, forged) is RefusalReason.UNKNOWN, "what stands for nobody is no secret"
    intent.keep(forget_owner(claim))
    assert back(claimed(intent.codes(), before=intent.claim()), knows(KEY)) is None
