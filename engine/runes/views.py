"""Views of the duel, a seat's own secret choice, and the reference card."""

from __future__ import annotations

from collections import Counter

from engine.game import Options
from engine.runes.cards import SUITS, list_cards
from engine.runes.casting import announcement, choice_text, powers, still_shown
from engine.runes.laying import lot_text
from engine.runes.match import (
    MOST_LIFE,
    Announced,
    Over,
    Slot,
    State,
    Wizard,
    asked_seats,
    face_up_cards,
    living,
    pile,
    wizard_at,
)
from engine.runes.specials import Paying, volunteers
from engine.runes.spells import EFFECTS, coming, remaining, spell_text
from engine.table import Seat
from engine.text import Text, in_row, list_texts, many, say, who
from engine.view import Gauge, Json, Line, Panel, View

STEPS = 6


def view(state: State, seat: Seat | None) -> View:
    return View(facts=_facts(state, seat), panels=_panels(state, seat), prompt=prompt(state, seat))


def prompt(state: State, seat: Seat | None) -> Text:
    if isinstance(state.phase, Over):
        return state.phase.result()
    seats = asked_seats(state)
    if seat is not None and seat in seats:
        return state.phase.question(state, seat)
    waits = state.phase.waiting_text(state, in_row(map(who, sorted(seats)), " / "))
    return waits if seat not in volunteers(state) else say("{waits} You may cast a Counter Spell.", waits=waits)


def _facts(state: State, seat: Seat | None) -> dict[str, Json]:
    own = _secret(state, seat)
    return {
        "turn": state.turn,
        "extra": state.extra,
        "phase": str(state.phase.__struct_config__.tag),
        "asked": tuple(sorted(asked_seats(state))),
        "wizards": {wizard.seat: _wizard_facts(state, wizard) for wizard in state.wizards},
        "order": tuple(_slot_facts(slot) for slot in state.phase.places(state)),
        "spells": tuple(_spell_facts(spell) for spell in state.phase.pending(state)),
        "pile": pile(state),
        "discards": state.discards,
        "paying": state.phase.facts(state) if isinstance(state.phase, Paying) else None,
        "story": tuple(str(step) for step in state.story),
        **({"own": own} if own is not None else {}),
    }


def _wizard_facts(state: State, wizard: Wizard) -> dict[str, Json]:
    return {
        "life": max(wizard.life, 0),
        "alive": not wizard.gone,
        "hand": wizard.held,
        "laid": wizard.laid,
        "sequence": tuple("down" if queued.down else queued.card for queued in wizard.sequence),
        "effects": dict(remaining(state, wizard)),
        "coming": coming(state, wizard),
        "energy": {suit: len(cards) for suit, cards in powers(state, wizard).items()},
        "activation": tuple(_activation(state, wizard)),
        "lot": _lot(state, wizard),
    }


def _lot(state: State, wizard: Wizard) -> str | None:
    text = _lot_text(state, wizard)
    return None if text is None else str(text)


def _lot_text(state: State, wizard: Wizard) -> Text | None:
    return lot_text(state, wizard) if wizard.hand and not wizard.gone else None


def _activation(state: State, wizard: Wizard) -> tuple[str, ...]:
    here = [slot for slot in state.phase.places(state) if wizard.seat in slot.seats]
    return tuple(slot.rune for slot in here if still_shown(state, wizard.seat, slot))


def _slot_facts(slot: Slot) -> dict[str, Json]:
    return {"rune": slot.rune, "rank": slot.rank, "seats": slot.seats}


def _spell_facts(spell: Announced) -> dict[str, Json]:
    return {"by": spell.by, "spell": spell.spell, "caster": spell.caster, "target": spell.target, "x": len(spell.cards)}


def _secret(state: State, seat: Seat | None) -> Json:
    if seat is None:
        return None
    if seat in state.plan:
        return {rune: choice_text(spell) for rune, spell in state.plan[seat].items()}
    return state.phase.secret(state, seat)


def _panels(state: State, seat: Seat | None) -> tuple[Panel, ...]:
    if seat is None or seat not in {wizard.seat for wizard in living(state)}:
        return _duel(state)
    others = _others(state, seat)
    return (*_lots(state, seat), *_spells(state), *_own(state, wizard_at(state, seat)), *others, *_steps(state, 2))


def _own(state: State, wizard: Wizard) -> tuple[Panel, ...]:
    panels: list[Panel] = [Gauge(say("Life"), max(wizard.life, 0), MOST_LIFE)]
    effects = _effects(state, wizard)
    if effects is not None:
        panels.append(Line(say("Effects: {effects}", effects=effects)))
    energy = [
        say("{suit} {count}", suit=SUITS[suit], count=len(cards)) for suit, cards in powers(state, wizard).items()
    ]
    panels += [Line(say("Energy: {energy}", energy=list_texts(energy)))] if energy else []
    runes = [SUITS[rune] for rune in _activation(state, wizard)]
    panels += [Line(say("Activation runes: {runes}", runes=list_texts(runes)), strong=True)] if runes else []
    return tuple(panels)


def _effects(state: State, wizard: Wizard) -> Text | None:
    texts = [
        many("{effect} (next turn)", "{effect} ({count} turns from the next)", turns, effect=EFFECTS[effect])
        if effect in coming(state, wizard)
        else many("{effect} (this turn)", "{effect} ({count} turns)", turns, effect=EFFECTS[effect])
        for effect, turns in remaining(state, wizard).items()
    ]
    return list_texts(texts) if texts else None


def _others(state: State, seat: Seat) -> tuple[Panel, ...]:
    return tuple(_gauge(wizard) for wizard in state.wizards if wizard.seat != seat and not wizard.gone)


def _gauge(wizard: Wizard) -> Gauge:
    return Gauge(say("Life of {seat}", seat=who(wizard.seat)), max(wizard.life, 0), MOST_LIFE)


def _duel(state: State) -> tuple[Panel, ...]:
    alive = [wizard for wizard in state.wizards if not wizard.gone]
    lives = tuple(_gauge(wizard) for wizard in alive)
    effects = tuple(
        Line(say("Effects on {seat}: {effects}", seat=who(wizard.seat), effects=text))
        for wizard in alive
        if (text := _effects(state, wizard)) is not None
    )
    sequences = tuple(
        Line(say("Row of {seat}: {cards}", seat=who(wizard.seat), cards=list_cards(cards)))
        for wizard in alive
        if (cards := face_up_cards(wizard))
    )
    return (*_lots(state, None), *_spells(state), *lives, *effects, *sequences, *_order(state), *_steps(state, STEPS))


def _lots(state: State, seat: Seat | None) -> tuple[Panel, ...]:
    """Return the cards picked at random for wizards; the seat's own is its question."""
    texts = (_lot_text(state, wizard) for wizard in state.wizards if wizard.seat != seat)
    return tuple(Line(text, strong=True) for text in texts if text is not None)


def _spells(state: State) -> tuple[Panel, ...]:
    return tuple(Line(spell_text(spell), strong=True) for spell in state.phase.pending(state))


def _order(state: State) -> tuple[Panel, ...]:
    return tuple(Line(_place(state, slot)) for slot in state.phase.places(state))


def _place(state: State, slot: Slot) -> Text:
    seats = in_row(map(who, slot.seats), " + ")
    active = tuple(card for seat in slot.seats if (card := wizard_at(state, seat).active) is not None)
    if not active:
        return say("Casting {rune}: {seats}", rune=SUITS[slot.rune], seats=seats)
    return say("Casting {rune}: {seats} ({cards})", rune=SUITS[slot.rune], seats=seats, cards=list_cards(active))


def _steps(state: State, count: int) -> tuple[Panel, ...]:
    waiting = Counter(announcement(spell) for spell in state.phase.pending(state))
    times = Counter(state.story) - waiting
    last = [*dict.fromkeys(step for step in reversed(state.story) if times[step])][:count]
    # Translators: {step} is a whole sentence, what happened; {count} is how often, such as 2.
    return tuple(
        Line(step if times[step] == 1 else say("{step} (× {count})", step=step, count=times[step]))
        for step in reversed(last)
    )


# --- help screens


def reference(options: Options) -> tuple[tuple[Text, ...], ...]:
    rows = (_moons_page(), _wyrms_page(), _knots_page())
    return (_setup_page(options), _turn_page(), *rows, _specials_page(), _end_page(options))


def _setup_page(options: Options) -> tuple[Text, ...]:
    middle = say("The Excuse: middle of the pile")
    before = options["excuse"] == "before"
    dealt = say("Deal five cards to each wizard")
    return (
        say("The beginning"),
        say("Shuffle all cards but the Excuse"),
        *((middle, dealt) if before else (dealt, middle)),
        say("Life 12 each, or as agreed"),
    )


def _turn_page() -> tuple[Text, ...]:
    return (
        say("The turn"),
        say("Lay a card; a fifth pushes out the oldest"),
        say("Reveal: Moons, then Wyrms, then Knots"),
        say("Within a rune: high ranks first"),
        say("Energy: all your cards"),
        say("Activation: the new card"),
    )


def _moons_page() -> tuple[Text, ...]:
    return (
        say("Moons: yourself"),
        say("Suns: Cold Ward, X turns"),
        say("Waves: Heat Ward, X turns"),
        say("Leaves: Heal X"),
        say("None: Shield, this turn"),
    )


def _wyrms_page() -> tuple[Text, ...]:
    return (
        say("Wyrms: an opponent"),
        say("Suns: Fireball X (Heat Ward)"),
        say("Waves: Ice Bolt X (Cold Ward)"),
        say("Leaves: Drain X (Shield)"),
        say("None: Jab 1 (Shield)"),
    )


def _knots_page() -> tuple[Text, ...]:
    return (
        say("Knots: anybody"),
        say("Suns: Haste, X turns"),
        say("Waves: Invisibility, X turns"),
        say("Leaves: Forgetfulness, X cards"),
        say("None: Confusion (Shield)"),
    )


def _specials_page() -> tuple[Text, ...]:
    return (
        say("From the hand"),
        say("Counter Spell: 2 activation runes"),
        say("Only physical damage still works"),
        say("Magic Mirror: 3 activation runes"),
        say("Caster and target change places"),
    )


def _end_page(options: Options) -> tuple[Text, ...]:
    optional = say("Draw up to two, up to five cards")
    draw = optional if options["drawing"] == "optional" else say("Draw two, up to five cards")
    return (
        say("End of the turn"),
        draw,
        say("The Excuse: shuffle, draw again"),
        say("Life 0: you are out"),
        say("The last wizard wins"),
    )
