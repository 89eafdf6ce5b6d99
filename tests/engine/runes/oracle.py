"""An oracle for one whole turn of Dueling Runes, written from docs/rules/runes.md alone, without a look at the engine.

The turn is told from beginning to end as the rules tell it: extra phases, play, spells rune by rune and rank by rank,
draws. Whenever somebody decides, the next event of a script is read. When the script runs out, the report says who
is asked for what; when an event does not fit, it says which and by what clause. Options stand at their defaults.
Lasting effects are sets of turns, so that their union is "the later of the two ends" (R33, R34, R41, R44).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby

from tests.engine.runes.oracle_deck import ACTIVATIONS, DECK, GUARD, PHYSICAL, SPELLS
from tests.engine.runes.oracle_script import (
    EFFECTS,
    Asked,
    Cast,
    Counter,
    Duel,
    Ended,
    Event,
    Forget,
    Lay,
    Mirror,
    Refused,
    Report,
    Resolve,
    Skip,
    Spell,
    Wizard,
    refuse,
)

FULL, LIMIT, HAND = 12, 4, 5


def judge(turn: int, wizards: Sequence[Wizard], script: Sequence[Event]) -> Report:
    """What this script makes of the turn. `wizards` are the living players clockwise."""
    duel = Duel(
        turn,
        script,
        [w.seat for w in wizards],
        {w.seat: w.life for w in wizards},
        {w.seat: list(w.hand) for w in wizards},
        {w.seat: list(w.row) for w in wizards},
        {w.seat: dict(w.effects) for w in wizards},
    )
    draws: tuple[str, ...] = ()
    try:
        draws = whole_turn(duel)
    except Refused as refused:
        return Report(fault=(duel.read - 1, str(refused)))
    except Asked as asked:
        what, seats = asked.args
        return Report(asks=(what, seats), order=tuple(duel.order), wizards=left(duel))
    except Ended:
        pass
    if duel.read < len(script):
        return Report(fault=(duel.read, "R59"))
    return Report(
        order=tuple(duel.order),
        wizards=left(duel),
        deaths=tuple(duel.deaths),
        winner=duel.seats[0] if len(duel.seats) == 1 else None,
        drawn_match=not duel.seats,
        draws=draws,
        discards=tuple(duel.discards),
    )


def left(duel: Duel) -> tuple[Wizard, ...]:
    """The living players as they are now."""
    return tuple(
        Wizard(s, duel.life[s], tuple(duel.hand[s]), tuple(duel.row[s]), dict(duel.effects[s])) for s in duel.seats
    )


def whole_turn(duel: Duel) -> tuple[str, ...]:
    """Extra phases for the hasted (R41), the phases of everybody, the draws (R57)."""
    hasted = [seat for seat in duel.seats if duel.has(seat, "Haste")]
    if hasted:
        spells(duel, play(duel, hasted))
    spells(duel, play(duel, list(duel.seats)))
    if not isinstance(duel.next("end"), Resolve):  # the window before the end phase
        refuse("R57")
    return draw(duel)


def play(duel: Duel, players: Sequence[str]) -> dict[str, str]:
    """Everybody who has a card lays one (R21, R23); all are revealed together, the oldest of five goes (R18, R22)."""
    laid: dict[str, str] = {}
    while waiting := [seat for seat in players if seat not in laid and duel.hand[seat]]:
        event = duel.next("lay", waiting)
        if isinstance(event, Counter):
            continue
        if not isinstance(event, Lay) or event.seat not in waiting or event.card not in duel.hand[event.seat]:
            refuse("R21")
        duel.hand[event.seat].remove(event.card)
        laid[event.seat] = event.card
    for seat, card in laid.items():
        duel.row[seat].append((card, False))
        while len(duel.row[seat]) > LIMIT:
            duel.discards.append(duel.row[seat].pop(0)[0])
        duel.revealed[seat] = max(duel.revealed.get(seat, 0), DECK[card].order)
    return laid


def spells(duel: Duel, laid: Mapping[str, str]) -> None:
    """Moons, Wyrms, Knots; within each the highest rank first, equal ranks together (R25-R27)."""
    for rune in ACTIVATIONS:
        casters = [seat for seat, card in laid.items() if rune in DECK[card].suits]
        casters.sort(key=lambda seat: -DECK[laid[seat]].order)
        for _, group in groupby(casters, key=lambda seat: DECK[laid[seat]].order):
            slot(duel, rune, [seat for seat in group if seat in duel.seats and face_up(duel, seat, laid[seat])])


def face_up(duel: Duel, seat: str, card: str) -> bool:
    return (card, False) in duel.row[seat]  # R46


def slot(duel: Duel, rune: str, casters: Sequence[str]) -> None:
    """One place in the order: announcements, reactions, effects (R28, R30)."""
    asked = [seat for seat in casters if next(castings(duel, seat, rune), None)]
    told: dict[str, Spell | None] = {}
    while waiting := [seat for seat in asked if seat not in told]:
        event = duel.next(f"cast {rune}", waiting)
        if not isinstance(event, Cast | Skip) or event.seat not in waiting:
            refuse("R26")
        told[event.seat] = announce(duel, event, rune) if isinstance(event, Cast) else None
    announced = [spell for spell in told.values() if spell]
    if not announced:
        return
    duel.order.append((rune, tuple(sorted(spell.announced_by for spell in announced))))
    reactions(duel, announced)
    take_effect(duel, announced)


def castings(duel: Duel, seat: str, rune: str) -> Iterator[Cast]:
    """Every legal spell with this activation rune: spell, energy cards, target (R15, R16, R19, R20, R29, R44)."""
    targets = [seat] if rune == "moons" else [t for t in duel.seats if t == seat or not duel.has(t, "Invisibility")]
    if rune == "wyrms":
        targets.remove(seat)
    for spell, (activation, energy) in SPELLS.items():
        if activation == rune:
            free = [card for card, down in duel.row[seat] if not down and energy in DECK[card].suits]
            free = [card for card in free if energy and (card, energy) not in duel.used]
            powers = range(1, len(free) + 1) if energy else range(1)
            for cards in (cards for power in powers for cards in combinations(free, power)):
                yield from (Cast(seat, spell, cards, target) for target in targets)


def announce(duel: Duel, cast: Cast, rune: str) -> Spell:
    """The announcement of a legal casting; its energy is used up for this turn (R43)."""
    if not any(
        (legal.spell, set(legal.energy), legal.target) == (cast.spell, set(cast.energy), cast.target)
        and len(set(cast.energy)) == len(cast.energy)
        for legal in castings(duel, cast.seat, rune)
    ):
        refuse("R15")
    energy = SPELLS[cast.spell][1]
    duel.used |= {(card, energy) for card in cast.energy if energy}
    return Spell(cast.seat, cast.spell, len(cast.energy), cast.seat, cast.target)


def reactions(duel: Duel, announced: Sequence[Spell]) -> None:
    """Counter Spells and Mirrors until nobody reacts (R51, R53)."""
    while not isinstance(event := duel.next("react"), Resolve):
        if not isinstance(event, Mirror):
            refuse("R53")
        for spell in announced:
            if spell.announced_by == event.caster and spell.by != spell.on:
                duel.spend(event.seat, event.cost, 3)
                spell.by, spell.on = spell.on, spell.by
                break
        else:
            refuse("R53")


def unaffected(duel: Duel, seat: str, spell: str) -> bool:
    """Whether wards, Shield or Counter keep this spell off this player (R33, R34, R36, R51)."""
    countered = duel.has(seat, "Counter") and spell not in PHYSICAL
    return countered or (spell in GUARD and duel.has(seat, GUARD[spell]))


def take_effect(duel: Duel, announced: Sequence[Spell]) -> None:
    """All effects of the slot from the state before it; then deaths (R31, R59)."""
    working = [spell for spell in announced if not unaffected(duel, spell.on, spell.name)]
    change = dict.fromkeys(duel.seats, 0)
    for spell in working:
        change[spell.on] += {"Fireball": -1, "Ice Bolt": -1, "Drain": -1, "Heal": 1}.get(spell.name, 0) * spell.power
        change[spell.on] -= spell.name == "Jab"
        if spell.name == "Drain" and not duel.has(spell.by, "Counter"):
            change[spell.by] += spell.power  # R39, R52
    forgotten = forget(duel, [spell for spell in working if spell.name == "Forgetfulness"])
    for spell in working:
        last(duel, spell)
    for seat in duel.seats:
        duel.life[seat] = min(FULL, duel.life[seat] + change[seat])
        duel.row[seat] = [(card, down or (seat, card) in forgotten) for card, down in duel.row[seat]]
    bury(duel)


def last(duel: Duel, spell: Spell) -> None:
    """The lasting effects: wards and Shield from this turn, the others from the next (R33, R34, R36, R41, R44, R47)."""
    if spell.name in ("Cold Ward", "Heat Ward"):
        duel.give(spell.on, spell.name, duel.turn, spell.power)
    elif spell.name == "Shield":
        duel.give(spell.on, spell.name, duel.turn, 1)
    elif spell.name in ("Haste", "Invisibility"):
        duel.give(spell.on, spell.name, duel.turn + 1, spell.power)
    elif spell.name == "Confusion":
        duel.give(spell.on, spell.name, duel.turn + 1, 1)


def forget(duel: Duel, working: Sequence[Spell]) -> set[tuple[str, str]]:
    """The cards that the casters of Forgetfulness turn down, none to X each (R45)."""
    forgotten: set[tuple[str, str]] = set()
    choosing = {spell.announced_by: spell for spell in working if any(not down for _, down in duel.row[spell.on])}
    while choosing:
        event = duel.next("forget", [spell.by for spell in choosing.values()])
        if not isinstance(event, Forget) or event.caster not in choosing or choosing[event.caster].by != event.seat:
            refuse("R45")
        spell = choosing.pop(event.caster)
        chosen = set(event.cards)
        if len(chosen) > spell.power or not all(face_up(duel, spell.on, card) for card in chosen):
            refuse("R45")
        forgotten |= {(spell.on, card) for card in chosen}
    return forgotten


def bury(duel: Duel) -> None:
    """Who is at 0 leaves at once, hand and sequence face up on the discards (R59)."""
    dead = [seat for seat in duel.seats if duel.life[seat] <= 0]
    for seat in dead:
        duel.seats.remove(seat)
        duel.deaths.append(seat)
        duel.discards += [*duel.hand[seat], *(card for card, _ in duel.row[seat])]
    if dead and len(duel.seats) < 2:
        raise Ended


def draw(duel: Duel) -> tuple[str, ...]:
    """Who draws, card by card: from the highest card revealed, clockwise, one each and then a second (R57, R58)."""
    highest = max(duel.seats, key=lambda seat: (duel.revealed.get(seat, 0), -duel.seats.index(seat)))
    start = duel.seats.index(highest)
    clockwise = duel.seats[start:] + duel.seats[:start]
    held = {seat: len(duel.hand[seat]) for seat in clockwise}
    draws = []
    for seat in [*clockwise, *clockwise]:
        if held[seat] < HAND:
            held[seat] += 1
            draws.append(seat)
    return tuple(draws)


def remaining(wizard: Wizard, turn: int) -> dict[str, int]:
    """How many turns after this one each effect still lasts."""
    counts = {name: sum(when > turn for when in wizard.effects.get(name, ())) for name in EFFECTS}
    return {name: count for name, count in counts.items() if count}
