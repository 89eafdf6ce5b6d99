"""Corrects the printed numbers of a game's cards at the table."""

from __future__ import annotations

import msgspec

from device.session.match_start import look_at, start_of
from device.session.messages import Effect, KeepDeck, SendToVision
from device.session.state import Item, Session, Setup, SetupPage
from device.session.table import Table
from engine.deck import Copy, Deck, Number
from engine.errors import Refusal
from engine.table import Face, Observation
from engine.text import Text, say

replace = msgspec.structs.replace


def entrance(table: Table, setup: Setup) -> tuple[Item, ...]:
    """Return the menu line for card corrections; () if the game allows none."""
    if table.games[setup.game].deck is None:
        return ()
    return (Item(say("Numbers on the cards"), replace(setup, page=SetupPage.CARDS, cursor=0)),)


def title(table: Table, setup: Setup) -> Text:
    deck = _deck(table, setup)
    match setup.page:
        case SetupPage.NUMBERS:
            return _copy(deck, setup).text
        case SetupPage.NUMBER:
            return _number(deck, setup).title
        case _:
            return say("Cards")


def prompt(table: Table, setup: Setup) -> Text | None:
    return (
        say("Lay the card on the mat, or choose it.") if setup.page is SetupPage.CARDS and looks(table, setup) else None
    )


def items(table: Table, session: Session, setup: Setup) -> tuple[Item, ...]:
    """Return a page's answers; cards that the camera sees come first."""
    deck = _deck(table, setup)
    match setup.page:
        case SetupPage.CARDS:
            seen = _seen_cards(session.seen)
            copies = sorted(deck.copies(), key=lambda copy: not copy.kinds & seen)
            return tuple(
                Item(copy.text, replace(setup, page=SetupPage.NUMBERS, card=copy.id, cursor=0)) for copy in copies
            )
        case SetupPage.NUMBERS:
            return tuple(_number_item(setup, number) for number in deck.numbers(setup.card))
        case _:
            number = _number(deck, setup)
            return tuple(
                Item(_corrected_text(number, choice.text), replace(setup, cursor=0)) for choice in number.choices
            )


def looks(table: Table, setup: Setup) -> tuple[SendToVision, ...]:
    """Return the messages that aim the camera at the cards; () without a camera, or if the rules conflict."""
    try:
        known = table.games[setup.game]
        return look_at(table, known, start_of(known, setup, 0))
    except Refusal:  # the rules conflict: the cards are still listed
        return ()


def correct(table: Table, session: Session, setup: Setup, place: int) -> tuple[Session, tuple[Effect, ...]]:
    """Apply the choice at this index, and show the first fault it adds."""
    deck, number = _deck(table, setup), _number(_deck(table, setup), setup)
    word = number.choices[place].word
    back = replace(setup.trail[-1], alert=None)
    if word == number.now:
        return replace(session, stage=back), ()
    after = deck.correct(setup.card, number.name, word)
    fresh = [fault for fault in after.faults() if fault not in deck.faults()]
    stage = replace(back, alert=fresh[0].said if fresh else None)
    return replace(session, stage=stage), (KeepDeck(setup.game, after),)


def _number_item(setup: Setup, number: Number) -> Item:
    words = [choice.word for choice in number.choices]
    place = words.index(number.now) if number.now in words else 0
    value = number.choices[place].text if number.now in words else Text("-")
    return Item(_corrected_text(number, value), replace(setup, page=SetupPage.NUMBER, number=number.name, cursor=place))


def _corrected_text(number: Number, value: Text) -> Text:
    return say("{option}: {value}", option=number.title, value=value)


def _seen_cards(observation: Observation | None) -> frozenset[str]:
    pieces = () if observation is None else (piece for zone in observation.zones for piece in zone.pieces)
    return frozenset(p.kind for p in pieces if p is not None and p.kind is not None and p.face is Face.UP)


def _deck(table: Table, setup: Setup) -> Deck:
    deck = table.games[setup.game].deck
    assert deck is not None
    return deck


def _copy(deck: Deck, setup: Setup) -> Copy:
    return next(copy for copy in deck.copies() if copy.id == setup.card)


def _number(deck: Deck, setup: Setup) -> Number:
    return next(number for number in deck.numbers(setup.card) if number.name == setup.number)
