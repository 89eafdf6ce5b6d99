"""Who has a seat by phone: a code is good once, a key as long as nobody passes the seat on, and neither is on disk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.locale import LANGUAGES, translate
from device.owner.claim import BITS, REMEMBERED, code_of, digest
from extensions.phones.tests.daemon.phone import Phone, is_number, knows
from referee_phones.daemon import seats
from referee_phones.daemon.handshake import KeyPair, KeyProof, mark
from referee_phones.daemon.seats import SENTENCES, RefusalReason, SeatedPhones
from referee_phones.frames import challenge

KEY, OTHER, THIRD = ("0123456789abcdef" * 2, "fedcba9876543210" * 2, "00112233445566778899aabbccddeeff")
CODE, NEXT = code_of(12345), code_of(2**BITS - 1)


NOBODY = SeatedPhones()


def joined(before: SeatedPhones, seat: str, code: str, key: str) -> SeatedPhones | RefusalReason:
    """A phone proves that it knows a code, or a number, and has this key from now on."""
    return seats.join(before, seat, key, knows(key, code), by_number=is_number(code))


def seated(before: SeatedPhones = NOBODY, code: str = CODE, key: str = KEY) -> SeatedPhones:
    found = joined(seats.invite(before, "a", code), "a", code, key)
    assert isinstance(found, SeatedPhones)
    return found


def test_a_code_gives_a_seat_once() -> None:
    after = seated()
    assert seats.back(after, "a", knows(KEY)) is None
    assert joined(after, "a", CODE, OTHER) is RefusalReason.SPENT
    assert after.codes == {}


@pytest.mark.parametrize("given", ["", NEXT, CODE[:-1], CODE.lower()])
def test_a_wrong_code_gives_nothing(given: str) -> None:
    invited = seats.invite(SeatedPhones(), "a", CODE)
    assert joined(invited, "a", given, KEY) is RefusalReason.UNKNOWN
    assert joined(SeatedPhones(), "a", given, KEY) is RefusalReason.UNKNOWN
    assert joined(seated(), "a", given, OTHER) is RefusalReason.TAKEN


def test_the_number_of_a_seat_is_its_phones_alone_and_changes_with_it() -> None:
    after = seated()
    number = seats.number(after, "a")
    assert number == Phone(KEY).number, "its phone finds it by itself"
    assert number != seats.number(seated(key=THIRD), "a")
    assert seats.number(seats.decode(seats.encode(after)), "a") == number, "it outlasts power-off"
    assert (seats.number(after, "b"), seats.number(seats.leave(after, "a"), "a")) == ("", "")
    anew = joined(after, "a", number, OTHER)
    assert isinstance(anew, SeatedPhones)
    assert seats.back(anew, "a", knows(KEY)) is RefusalReason.REVOKED
    assert seats.back(anew, "a", knows(OTHER)) is None
    assert seats.number(anew, "a") != number
    assert joined(anew, "a", number, THIRD) is RefusalReason.WRONG
    assert joined(after, "b", number, OTHER) is RefusalReason.UNKNOWN
    assert joined(seats.leave(after, "a"), "a", number, OTHER) is RefusalReason.UNKNOWN


@pytest.mark.parametrize("given", ["123", "111111", "12345678"])
def test_of_a_number_that_is_not_the_phones_it_is_told_that_it_is_wrong(given: str) -> None:
    assert joined(seated(), "a", given, OTHER) is RefusalReason.WRONG
    assert joined(SeatedPhones(), "a", given, OTHER) is RefusalReason.UNKNOWN, (
        "there is no phone whose number it could be"
    )


def test_a_code_is_for_its_own_seat() -> None:
    invited = seats.invite(SeatedPhones(), "a", CODE)
    assert joined(invited, "b", CODE, KEY) is RefusalReason.UNKNOWN


def test_a_seat_is_passed_on_when_the_next_phone_is_there() -> None:
    offered = seats.invite(seated(), "a", NEXT)
    assert seats.back(offered, "a", knows(KEY)) is None
    passed = joined(offered, "a", NEXT, OTHER)
    assert isinstance(passed, SeatedPhones)
    assert seats.back(passed, "a", knows(OTHER)) is None
    assert seats.back(passed, "a", knows(KEY)) is RefusalReason.REVOKED
    assert seats.back(passed, "a", knows(THIRD)) is RefusalReason.UNKNOWN
    assert seats.back(passed, "b", knows(OTHER)) is RefusalReason.UNKNOWN


def test_a_seat_that_was_given_up_may_be_had_again_by_the_same_phone() -> None:
    gone = seats.leave(seated(), "a")
    assert seats.back(gone, "a", knows(KEY)) is RefusalReason.REVOKED
    back = seated(gone, NEXT)
    assert seats.back(back, "a", knows(KEY)) is None
    assert seats.leave(SeatedPhones(), "a") == SeatedPhones()


def test_after_power_off_keys_hold_and_codes_do_not() -> None:
    before = seats.invite(seated(), "b", NEXT)
    kept = seats.encode(before)
    after = seats.decode(kept)
    assert seats.back(after, "a", knows(KEY)) is None
    assert joined(after, "a", CODE, OTHER) is RefusalReason.SPENT
    assert joined(after, "b", NEXT, OTHER) is RefusalReason.UNKNOWN
    assert not any(secret in kept for secret in (KEY, CODE, NEXT))


def test_a_phone_comes_back_by_itself_where_it_joined_and_by_its_number_at_another_address() -> None:
    here, there = "http://192.0.2.7:8139/", "http://192.0.2.9:8139/"
    invited = seats.invite(seats.invite(SeatedPhones(), "a", CODE), "b", NEXT)
    one = seats.join(invited, "a", KEY, knows(KEY, CODE), at=here)
    assert isinstance(one, SeatedPhones)
    both = seats.join(one, "b", OTHER, knows(OTHER, NEXT), at=there)
    assert isinstance(both, SeatedPhones)
    kept = seats.decode(seats.encode(both))
    assert (seats.keyholders(kept, here), seats.keyholders(kept, there)) == (("a",), ("b",))
    known = seats.number(kept, "a")
    again = seats.join(kept, "a", THIRD, knows(THIRD, known), by_number=True, at=there)
    assert isinstance(again, SeatedPhones)
    assert seats.keyholders(again, there) == ("a", "b")


def test_phones_that_joined_before_addresses_were_kept_come_back() -> None:
    assert seats.keyholders(seats.decode('{"phones": {"a": "x"}}'), "http://192.0.2.7:8139/") == ("a",)


@pytest.mark.parametrize("kept", [None, "", "{", "[]", '{"phones": 3}', '{"gone": {}}'])
def test_what_was_not_kept_well_is_nobody(kept: str | None) -> None:
    assert seats.decode(kept) == SeatedPhones()


def test_what_is_remembered_of_the_past_is_bounded() -> None:
    found = SeatedPhones()
    for number in range(3 * REMEMBERED):
        found = seated(found, code_of(number), f"{number:032x}")
    assert (len(found.gone), len(found.spent)) == (REMEMBERED, REMEMBERED)
    assert seats.back(found, "a", knows(f"{3 * REMEMBERED - 2:032x}")) is RefusalReason.REVOKED


@given(st.integers(0, 2**BITS - 1), st.integers(0, 2**BITS - 1))
def test_codes_are_short_and_differ_as_their_chance_does(one: int, other: int) -> None:
    assert len(code_of(one)) == BITS // 5
    assert set(code_of(one)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    assert (code_of(one) == code_of(other)) is (one == other)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_a_sentence(language: str) -> None:
    told = [translate(SENTENCES[why], language) for why in RefusalReason]
    assert len(set(told)) == len(RefusalReason)
    assert all(text and text[-1] in ".。" for text in told)


@pytest.mark.parametrize("code", ["", CODE])
def test_a_seat_without_a_phone_is_nobodys_however_a_proof_is_made(code: str) -> None:
    """What no secret is kept of cannot be proven: a mark made with an empty one would be anybody's."""
    forged = KeyProof("?", mark("", "?" + (code and digest(code))))
    assert seats.back(SeatedPhones(), "a", forged) is RefusalReason.UNKNOWN
    assert seats.join(seats.invite(SeatedPhones(), "a", CODE), "a", KEY, forged) is RefusalReason.UNKNOWN


def test_a_proof_is_worth_nothing_for_another_challenge() -> None:
    heard = knows(KEY).mark
    assert seats.back(seated(), "a", KeyProof("?", heard)) is None
    assert seats.back(seated(), "a", KeyProof("!", heard)) is RefusalReason.UNKNOWN


def test_who_hears_a_code_proven_knows_neither_the_code_nor_the_key() -> None:
    """Nothing that crosses the network is made of the code alone: no list of numbers finds it."""
    pair, phone = KeyPair(), Phone()
    asked = challenge(pair.public, 1)
    said = phone.joins(asked, CODE)
    heard = {asked, *said.values(), digest(CODE), CODE}
    assert pair.agree_key(said["join"]) == phone.key
    assert said["prove"] not in {mark(secret, asked + digest(CODE)) for secret in (*heard, *map(digest, heard))}


@pytest.mark.parametrize("public", ["00" * 32, "01" + "00" * 31])
def test_a_public_key_that_makes_the_same_with_all_is_refused(public: str) -> None:
    pair = KeyPair()
    with pytest.raises(ValueError, match="shared key"):
        pair.agree_key(public)
