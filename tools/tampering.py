"""The tampering test: whatever is done to a signed record, it is refused with the first entry that is wrong.

    python -m tools.tampering --trials 1000 --json
    python -m tools.tampering --trials 50 --kind leak --game planetx --seed 3

Matches at random of every game, with orders, corrections and takes-back, are signed; each honest record must pass,
every other one without the signatures that its last covers. Then it is changed in one way and must be refused.
Half of the kinds sign the changed record again with the table's own key, as a dishonest owner would: some are found by
replay, the others by the first and the last head, which is what players keep. A record that was cut off at a head that
was kept cannot be refused, but must not be verified. A table that played otherwise than usual, or said so, has heads
that fit: then the finding must list it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from device import games
from device.journal.match_info import Secret
from device.session.table import KnownGame
from engine import notation
from engine.catalogue import complete
from engine.entry import Act, Correct, Draw, Entry, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.errors import Refusal
from engine.evening import EndedMatch, series
from engine.game import Words
from engine.match import Match, advance, begin
from referee_record.public_entries import FORMAT, SALT, SIGNATURE, Body, Chain, Head, Link, Seal, Signed, heads
from referee_record.signed_record import SignedRecord, encode_record, read
from referee_record.stream import opening, sign_stream, utterances
from referee_record.table_key import TableKey
from referee_record.verification import Result, Verdict, Wrong, verify
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from referee_simulator.players.random_play import sentence
from tools import longrun

replace = msgspec.structs.replace

GAMES = ("tellstones", "planetx", "fence", "runes")
PROGRAM = "1.0"
MOST = 40
"""Entries of a match."""
SPARED = 1000
"""So often something else is drawn for what would end a match that is to last."""

MOST_NOTES = 20


class Kind(StrEnum):
    """What is changed. After `FORGED` the record is chained and signed again."""

    LINK = "link changed"
    TIME = "time changed"
    CUT = "link cut out"
    DOUBLED = "link put in"
    SWAPPED = "links reordered"
    SIGNATURE = "signature changed"
    UNSIGNED = "last signature left out"
    KEY = "another key"
    OPENING = "opening changed"
    SALT = "salt changed"
    ENTRY = "entry changed"
    TOGETHER = "entry changed with its link"
    ENTRY_CUT = "entry cut out"
    ENTRY_DOUBLED = "entry put in"
    ILLEGAL = "illegal action"
    DRAW = "draw changed"
    SEED = "seed not committed to"
    OPTIONS = "options not committed to"
    LEAK = "leak"
    TOLD = "something else told"
    PROGRAM = "another version"
    MIDDLE = "signature of the middle broken"
    REMADE = "commitment made again"
    CONSISTENT_CHANGE = "changed consistently"
    CONSISTENT_CUT = "cut out consistently"
    CONSISTENT_END = "end cut off"
    CONSISTENT_PUT = "put in consistently"
    TO_OPENING = "cut to the opening"
    WEAK_KEY = "key under which anybody signs"
    NO_VERSION = "illegal action by a version that never was"
    CARDS = "cards corrected"
    OTHER_OPTIONS = "options otherwise than usual"
    CLOCK = "with a clock"
    EVENING = "evening that was never played"
    OLD_FORMAT = "begun in an earlier format"
    OLD_ENTRIES = "first entry of an earlier version"
    NO_DATA = "data not named"
    SEATS = "other seats"
    TIMES = "impossible times"
    CORRECTED = "correction put in"
    TAKEN_BACK = "action taken back"
    OVERRULED = "camera overruled"
    AGREED = "draw by consent"
    GIVEN_UP = "resignation"


KINDS = tuple(Kind)
FORGED = KINDS[KINDS.index(Kind.ILLEGAL) :]
"""Signed by the table's own key: half of all kinds."""
NOTED = KINDS[KINDS.index(Kind.CARDS) :]
"""Signed and noted by players as if it had been so: refused, or listed in the finding."""


class Plan(msgspec.Struct, frozen=True):
    """One match, and what is done to it. game, kind: None: one after another."""

    seed: int
    game: str | None = None
    kind: Kind | None = None


class Tampering(msgspec.Struct, frozen=True):
    """tampered, honest: so many records there were. refused, passed: of them, as they should be; refused is
    also what cannot be, and was not verified, or is listed as noteworthy. forged: of the
    tampered ones, signed with the table's own key. kinds: refused of each kind. accepted: tampered, and not refused;
    misplaced: refused, but not at the first wrong entry; rejected: honest, and not verified. notes: on those.
    exact: a single entry was named, or a link where nobody notices entries between."""

    tampered: int = 0
    honest: int = 0
    refused: int = 0
    passed: int = 0
    forged: int = 0
    accepted: int = 0
    misplaced: int = 0
    rejected: int = 0
    exact: int = 0
    kinds: dict[str, int] = {}
    games: dict[str, int] = {}
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> int:
        return self.accepted + self.misplaced + self.rejected


class Tampered(msgspec.Struct, frozen=True):
    """A record that was changed. link: the first that is wrong; entry: the first entry that is, if it is one. cut_at:
    of one that fits the heads that players kept, which end there."""

    record: SignedRecord
    link: int | None = None
    entry: int | None = None
    cut_at: int | None = None


class Honest(msgspec.Struct, frozen=True):
    """A match with its record, and what was made of it. links: of each entry the link; None: nobody noticed it."""

    known: Any
    key: Any
    record: SignedRecord
    about: Secret
    links: tuple[int | None, ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.record.entries

    @property
    def bodies(self) -> list[Body]:
        return [link.body for link in self.record.links]


@cache
def load_game(name: str) -> KnownGame:
    """A game as it is installed."""
    spec = games.spec(name)
    return KnownGame(spec, *games.build(spec))


def tamper(plan: Plan) -> Tampering:
    """Makes a match, verifies its record, changes it and verifies it again."""
    rng = random.Random(f"tampering {plan.seed}")
    name = plan.game or GAMES[plan.seed % len(GAMES)]
    kind = plan.kind or KINDS[plan.seed // len(GAMES) % len(KINDS)]
    for _ in range(40):
        honest = make_honest(
            load_game(name), rng, FORMAT if kind in NOTED or rng.random() < 0.75 else rng.randint(1, FORMAT - 1)
        )
        if (changed := CHANGES[kind](honest, rng)) is not None:
            break
    else:
        raise RuntimeError(f"no match of {name} can be changed so: {kind}")
    own = tuple(heads(honest.record.links))
    kept = (own[0], own[-1])
    good = _verify(honest, thin_signatures(honest) if plan.seed % 2 else honest.record, kept)
    if changed.cut_at is not None:
        kept = (own[0], own[changed.cut_at])
    if kind in NOTED:
        theirs = tuple(heads(changed.record.links))
        kept = (theirs[0], theirs[-1])
    found = _verify(honest, changed.record, kept if kind in BY_HEADS or kind in NOTED else ())
    notes = []
    if good.result is not Result.VERIFIED:
        notes.append(f"{name}, honest: {good.result}, {good.wrong}")
    said = kind in NOTED and found.wrong is None and not {*found.noteworthy} <= {*good.noteworthy}
    refused = said or found.result is (Result.REFUSED if changed.cut_at is None else Result.CONSISTENT)
    placed = said or changed.cut_at is not None or (found.wrong is not None and _is_first(found.wrong, changed))
    placed = placed and (kind is not Kind.ILLEGAL or bool(found.wrong and found.wrong.clauses))
    if not (refused and placed):
        notes.append(f"{name}, {kind}: {found.result}, {found.wrong}, not {changed.link}, {changed.entry}")
    return Tampering(
        tampered=1,
        honest=1,
        refused=int(refused),
        passed=int(good.result is Result.VERIFIED),
        forged=int(kind in FORGED),
        accepted=int(not refused),
        misplaced=int(refused and not placed),
        rejected=int(good.result is not Result.VERIFIED),
        exact=int(_range(found.wrong) <= 1),
        kinds={kind: int(refused)},
        games={name: int(refused)},
        notes=tuple(f"trial {plan.seed}: {note}" for note in notes),
    )


def _verify(honest: Honest, record: SignedRecord, kept: Sequence[Head]) -> Verdict:
    """As the command does: out of a file."""
    return verify(read(encode_record(record)), honest.known, PROGRAM, kept)


def _is_first(wrong: Wrong, changed: Tampered) -> bool:
    last = wrong.link if wrong.until is None else wrong.until
    if changed.link is not None and not wrong.link <= changed.link <= last:
        return False
    return changed.entry is None or (
        wrong.entry is not None and wrong.to is not None and wrong.entry <= changed.entry <= wrong.to
    )


def _range(wrong: Wrong | None) -> int:
    return 0 if wrong is None or wrong.entry is None or wrong.to is None else wrong.to - wrong.entry + 1


def thin_signatures(honest: Honest) -> SignedRecord:
    """The honest record with its last signature alone, which covers all links; in format 1 each has to stay."""
    *links, last = honest.record.links
    if honest.about.format == 1:
        return honest.record
    return _with(honest, (*(replace(link, signature="") for link in links), last))


# Matches.


def make_honest(game: KnownGame, rng: random.Random, format: int = FORMAT, lasts: int = 0) -> Honest:
    """A match at random with its record. lasts: as `play_match` has it."""
    key = TableKey(Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)))
    secret = Secret(rng.randbytes(SALT).hex(), PROGRAM, format=format)
    return sign_match(game, key, secret, play_match(game, rng, lasts))


def sign_match(game: KnownGame, key: TableKey, secret: Secret, entries: tuple[Entry, ...]) -> Honest:
    bodies, links = _derive(game, key, secret, entries)
    record = SignedRecord(sign_stream(key, bodies), bytes.fromhex(secret.salt), entries)
    return Honest(game, key, record, secret, links)


def _derive(
    game: KnownGame, key: TableKey, secret: Secret, entries: tuple[Entry, ...]
) -> tuple[list[Body], tuple[int | None, ...]]:
    start = entries[0]
    assert isinstance(start, Start)
    first = opening(start, "5" * 32, "table", secret, key.public)
    bodies: list[Body] = []
    links: list[int | None] = []
    for each in utterances(game, entries, first, bytes.fromhex(secret.salt)):
        links.append(None if each.body is None else len(bodies))
        if each.body is not None:
            bodies.append(each.body)
    return bodies, tuple(links)


def play_match(game: KnownGame, rng: random.Random, lasts: int = 0) -> tuple[Entry, ...]:
    """A match at random: orders, what a camera saw, corrections, takes-back, pauses; at last its end. lasts: so many
    entries come before that at least, unless nothing is found that does not end it."""
    options = dict(complete(game.spec.options, game.spec.random_play))
    seats = ("a", "b")
    start = Start(0.0, game.spec.name, options, seats, rng.getrandbits(62), data=game.data)
    match = begin(game.game, start)
    entries: list[Entry] = [start]
    most = lasts or rng.randint(10, MOST)
    spared = 0
    while match.result is None and len(entries) < most:
        after, added = _one_more(game, match, rng)
        if after.result is not None and lasts and spared < SPARED:
            spared += 1
            continue
        match, spared = after, 0
        entries += added
    if match.result is None:
        at = match.at + 1.0
        entries.append(Draw(at) if rng.random() < 0.3 else Resign(at, rng.choice(seats)))
        match, _ = advance(game.game, match, entries[-1])
    if match.pending is not None:  # nobody sees the end before the pieces lie as they should
        entries.append(Settle(match.at + 1.0, rng.choice(tuple(Source))))
    return tuple(entries)


def _one_more(game: KnownGame, match: Match, rng: random.Random) -> tuple[Match, list[Entry]]:
    """Something that may follow."""
    for _ in range(50):
        entry = _draw_entry(game, match, rng, round(match.at + rng.randint(1, 9000) / 1000, 3))
        try:
            return advance(game.game, match, entry)[0], [entry]
        except Refusal:
            continue
    raise RuntimeError(f"nothing follows in {game.spec.name}")


def _draw_entry(game: KnownGame, match: Match, rng: random.Random, at: float) -> Entry:
    seat, dice = rng.choice(match.start.seats), rng.random()
    if match.paused:
        return Pause(at, False)
    if match.pending is not None and dice < 0.8:
        return Settle(at, rng.choice(tuple(Source)))
    if dice < 0.11:
        return Undo(at, seat) if dice < 0.06 else Restored(at, seat) if dice < 0.09 else Pause(at, True)
    if dice < 0.15 and (words := _draw_correction(game, match, rng)):
        return Correct(at, words)
    actors = sorted(game.game.actors(match.state))
    seat = rng.choice(actors) if actors else seat
    return Act(at, seat, sentence(game.game, match.state, seat, rng.randrange), rng.choice(tuple(Source)))


def _draw_correction(game: KnownGame, match: Match, rng: random.Random) -> Words:
    words: Words = ()
    while choices := game.game.corrections(match.state, words):
        chosen = rng.choice(choices)
        words = (*words, chosen.word)
        if chosen.final:
            return words
    return ()


# Changes of a record whose signatures stay as they are.


def _link(honest: Honest, rng: random.Random) -> int:
    """A link after the opening."""
    return rng.randrange(1, len(honest.record.links))


def _with(honest: Honest, links: Sequence[Signed]) -> SignedRecord:
    return replace(honest.record, links=tuple(links))


def _body(honest: Honest, n: int, body: Body) -> SignedRecord:
    links = list(honest.record.links)
    links[n] = Signed(body, links[n].signature)
    return _with(honest, links)


def _digit(written: str, rng: random.Random) -> str:
    """The same hexadecimal digits but for one."""
    at = rng.randrange(len(written))
    return written[:at] + rng.choice([each for each in "0123456789abcdef" if each != written[at]]) + written[at + 1 :]


def _changed_link(honest: Honest, rng: random.Random) -> Tampered:
    n = _link(honest, rng)
    body = honest.bodies[n]
    assert isinstance(body, Link)
    others = (
        replace(body, told=(*body.told, "Seat A wins.")),
        replace(body, kind="flag"),
        replace(body, view=_digit(body.view, rng)),
        replace(body, sealed=_digit(body.sealed, rng)),
        replace(body, line=f"{body.line}!"),
        replace(body, clauses=(*body.clauses, "T1")),
    )
    return Tampered(_body(honest, n, rng.choice(others)), n)


def _changed_time(honest: Honest, rng: random.Random) -> Tampered:
    n = _link(honest, rng)
    body = honest.bodies[n]
    assert isinstance(body, Link)
    return Tampered(_body(honest, n, replace(body, at=round(body.at + 0.001, 3))), n)


def _cut(honest: Honest, rng: random.Random) -> Tampered:
    n, links = _link(honest, rng), list(honest.record.links)
    del links[n]
    return Tampered(_with(honest, links), n)


def _double_link(honest: Honest, rng: random.Random) -> Tampered:
    n, links = _link(honest, rng), list(honest.record.links)
    links.insert(n, links[n])
    return Tampered(_with(honest, links), n + 1)


def _swap_links(honest: Honest, rng: random.Random) -> Tampered | None:
    links = list(honest.record.links)
    if len(links) < 3:
        return None
    n = rng.randrange(1, len(links) - 1)
    links[n], links[n + 1] = links[n + 1], links[n]
    return Tampered(_with(honest, links), n)


def _signature(honest: Honest, rng: random.Random) -> Tampered:
    links = list(honest.record.links)
    n = rng.choice([at for at, link in enumerate(links) if link.signature])
    links[n] = replace(links[n], signature=_digit(links[n].signature, rng))
    return Tampered(_with(honest, links), n)


def _drop_signature(honest: Honest, _rng: random.Random) -> Tampered:
    links = honest.record.links
    return Tampered(_with(honest, (*links[:-1], replace(links[-1], signature=""))), len(links) - 1)


def _key(honest: Honest, rng: random.Random) -> Tampered:
    """Signed by another key than it says."""
    other = TableKey(Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)))
    return Tampered(replace(honest.record, links=sign_stream(other, honest.bodies)), 0)


def _opening(honest: Honest, rng: random.Random) -> Tampered:
    first = honest.record.opening
    others = (
        replace(first, table="another"),
        replace(first, program="1.1"),
        replace(first, commitment=_digit(first.commitment, rng)),
        replace(first, match=_digit(first.match, rng)),
        replace(first, options={**first.options, "more": True}),
    )
    return Tampered(_body(honest, 0, rng.choice(others)), 0)


def _salt(honest: Honest, rng: random.Random) -> Tampered:
    return Tampered(replace(honest.record, salt=rng.randbytes(SALT)), 0, 0)


def _entry(honest: Honest, rng: random.Random) -> Tampered:
    entries = list(honest.entries)
    n = rng.randrange(1, len(entries))
    entry = entries[n]
    others: list[Entry] = [replace(entry, at=round(entry.at + 0.001, 3))]
    if isinstance(entry, Act):
        others.append(replace(entry, words=(*entry.words, "again")))
        others.append(replace(entry, seat="b" if entry.seat == "a" else "a"))
    entries[n] = rng.choice(others)
    return Tampered(replace(honest.record, entries=tuple(entries)), entry=n)


def _together(honest: Honest, rng: random.Random) -> Tampered:
    """By who has no key, in the file's own text, where an entry and its link share a line."""
    entries = list(honest.entries)
    n = rng.choice([at for at, link in enumerate(honest.links) if link])
    entries[n] = replace(entries[n], at=round(entries[n].at + 0.001, 3))
    bodies, link = _reseal_links(honest, entries), honest.links[n] or 0
    body = bodies[link]
    assert isinstance(body, Link)
    line = notation.write_line(entries[n]) if body.line else ""
    bodies[link] = replace(body, at=entries[n].at, line=line)
    links = [Signed(each, there.signature) for each, there in zip(bodies, honest.record.links, strict=True)]
    return Tampered(replace(honest.record, links=tuple(links), entries=tuple(entries)), link, n)


def _entry_cut(honest: Honest, rng: random.Random) -> Tampered:
    entries = list(honest.entries)
    n = rng.randrange(1, len(entries))
    del entries[n]
    return Tampered(replace(honest.record, entries=tuple(entries)), entry=n)


def _entry_doubled(honest: Honest, rng: random.Random) -> Tampered:
    entries = list(honest.entries)
    n = rng.randrange(1, len(entries))
    entries.insert(n, entries[n])
    return Tampered(replace(honest.record, entries=tuple(entries)), entry=n + 1)


# Changes by who has the table's key: chained and signed again.


def _sign_again(honest: Honest, bodies: Sequence[Body], entries: Sequence[Entry] | None = None) -> SignedRecord:
    there = tuple(honest.entries if entries is None else entries)
    return SignedRecord(sign_stream(honest.key, tuple(bodies)), honest.record.salt, there)


def _reseal_links(honest: Honest, entries: Sequence[Entry]) -> list[Body]:
    """The honest links, as if they were of these entries."""
    bodies, seal = honest.bodies, Seal(bytes.fromhex(honest.about.salt))
    for entry, n in zip(entries, honest.links, strict=True):
        seal.add((entry,))
        body = bodies[n] if n is not None else None
        if n is not None and isinstance(body, Link):
            bodies[n] = replace(body, sealed=seal.now())
    return bodies


def _states(honest: Honest) -> list[Match]:
    """The match before each entry but the first."""
    start, *rest = honest.entries
    assert isinstance(start, Start)
    found = [begin(honest.known.game, start)]
    for entry in rest:
        found.append(advance(honest.known.game, found[-1], entry)[0])
    return found[:-1]


def _illegal(honest: Honest, rng: random.Random) -> Tampered | None:
    """An action against a clause stands there as if the table had accepted it."""
    states = _states(honest)
    order = list(range(1, len(honest.entries)))
    rng.shuffle(order)
    for n in order:
        entry, match = honest.entries[n], states[n - 1]
        if not isinstance(entry, Act) or match.paused:
            continue
        wanted = [(each.by, each.words) for each in honest.known.game.attempts(match.state) if each.words]
        wanted += [(seat, entry.words) for seat in match.start.seats if seat != entry.seat]
        rng.shuffle(wanted)
        for seat, words in wanted[:20]:
            forged = Act(entry.at, seat, words, entry.source)
            if _is_refused(honest, match, forged):
                entries = [*honest.entries[:n], forged, *honest.entries[n + 1 :]]
                return Tampered(_sign_again(honest, _reseal_links(honest, entries), entries), entry=n)
    return None


def _is_refused(honest: Honest, match: Match, entry: Entry) -> bool:
    """Whether a clause speaks against it."""
    try:
        advance(honest.known.game, match, entry)
    except Refusal as refusal:
        return bool(refusal.clauses)
    return False


def _draw(honest: Honest, rng: random.Random) -> Tampered | None:
    """What was drawn follows from another seed than the one that was committed to."""
    start = honest.entries[0]
    assert isinstance(start, Start)
    other = (replace(start, seed=rng.getrandbits(62)), *honest.entries[1:])
    bodies, n = honest.bodies, 0
    first = honest.record.opening
    try:
        for each in utterances(honest.known, other, first, bytes(SALT)):
            if not isinstance(each.body, Link):
                n += each.body is not None
                continue
            there = bodies[n] if n < len(bodies) else None
            if not isinstance(there, Link) or there.at != each.body.at:
                return None
            if (there.told, there.view) != (each.body.told, each.body.view):
                bodies[n] = replace(there, told=each.body.told, view=each.body.view)
                return Tampered(_sign_again(honest, bodies), n)
            n += 1
    except Refusal:
        pass
    return _drawn_otherwise(honest, rng)


def _drawn_otherwise(honest: Honest, rng: random.Random) -> Tampered:
    """Where another seed changes nothing in public: what lies there is said to be something else."""
    n, bodies = _link(honest, rng), honest.bodies
    there = bodies[n]
    assert isinstance(there, Link)
    bodies[n] = replace(there, view=_digit(there.view, rng))
    return Tampered(_sign_again(honest, bodies), n)


def _seed(honest: Honest, rng: random.Random) -> Tampered:
    start = honest.entries[0]
    assert isinstance(start, Start)
    entries = (replace(start, seed=rng.getrandbits(62)), *honest.entries[1:])
    return Tampered(_sign_again(honest, _reseal_links(honest, entries), entries), 0, 0)


def _options(honest: Honest, rng: random.Random) -> Tampered:
    start = honest.entries[0]
    assert isinstance(start, Start)
    option = rng.choice([each for each in honest.known.spec.options if len(each.values) > 1])
    value = rng.choice([each for each in option.values if each != start.options[option.name]])
    options = {**start.options, option.name: value}
    entries = (replace(start, options=options), *honest.entries[1:])
    bodies = _reseal_links(honest, entries)
    bodies[0] = replace(honest.record.opening, options=options)
    return Tampered(_sign_again(honest, bodies, entries), 0, 0)


def _leak(honest: Honest, rng: random.Random) -> Tampered:
    """What one player was told, or what is to be drawn, is told to everybody."""
    start, *rest = honest.entries
    assert isinstance(start, Start)
    match, secrets = begin(honest.known.game, start), [f"The seed is {start.seed}."]
    for entry in rest:
        match, events = advance(honest.known.game, match, entry)
        secrets += [str(event.text) for event in events if event.audience]
    n, bodies = _link(honest, rng), honest.bodies
    there = bodies[n]
    assert isinstance(there, Link)
    bodies[n] = replace(there, told=(*there.told, rng.choice(secrets[1:] or secrets)))
    return Tampered(_sign_again(honest, bodies), n)


def _change_report(honest: Honest, rng: random.Random) -> Tampered:
    n, bodies = _link(honest, rng), honest.bodies
    there = bodies[n]
    assert isinstance(there, Link)
    bodies[n] = replace(
        there, told=there.told[1:] if there.told and rng.random() < 0.5 else ("Seat B wins.", *there.told)
    )
    return Tampered(_sign_again(honest, bodies), n)


def _program(honest: Honest, _rng: random.Random) -> Tampered:
    bodies = honest.bodies
    bodies[0] = replace(honest.record.opening, program="0.9")
    return Tampered(_sign_again(honest, bodies), 0, 0)


def _middle(honest: Honest, rng: random.Random) -> Tampered:
    """One signature is anything, and all after it are right."""
    chain, links = Chain(honest.about.format), list[Signed]()
    n = rng.choice([at for at, link in enumerate(honest.record.links[:-1]) if link.signature])
    for at, link in enumerate(honest.record.links):
        digest, signature = chain.add(link.body), b""
        if link.signature:
            signature = rng.randbytes(SIGNATURE) if at == n else honest.key.sign(digest)
            chain.add_signature(signature)
        links.append(Signed(link.body, signature.hex()))
    return Tampered(_with(honest, links), n)


# Changes that no replay can find, as another match was signed: others' heads tell.


def _again(honest: Honest, entries: Sequence[Entry]) -> Tampered | None:
    """The record of these entries, as if they had been played."""
    try:
        other = sign_match(honest.known, honest.key, honest.about, tuple(entries))
    except Refusal:
        return None
    pairs = list(zip(honest.bodies, other.bodies, strict=False))
    link = next((n for n, (one, two) in enumerate(pairs) if one != two), len(pairs))
    entry = next((n for n, (one, two) in enumerate(zip(honest.entries, entries, strict=False)) if one != two), None)
    return Tampered(other.record, link, len(entries) if entry is None and len(other.bodies) == link else entry)


def _remade(honest: Honest, rng: random.Random) -> Tampered | None:
    """Another seed, and a commitment to it that was made afterwards."""
    start = honest.entries[0]
    assert isinstance(start, Start)
    changed = _again(honest, (replace(start, seed=rng.getrandbits(62)), *honest.entries[1:]))
    return None if changed is None else replace(changed, link=0, entry=0)


def _otherwise(honest: Honest, rng: random.Random) -> Tampered | None:
    """From one entry on it was another match."""
    n = rng.randrange(1, len(honest.entries))
    match, entries = _states(honest)[n - 1], list(honest.entries[:n])
    while match.result is None and len(entries) < len(honest.entries):
        match, added = _one_more(honest.known, match, rng)
        entries += added
    return _again(honest, entries) if tuple(entries) != honest.entries else None


def _left_out(honest: Honest, rng: random.Random) -> Tampered | None:
    """One entry never was, and the others fit all the same."""
    order = list(range(1, len(honest.entries) - 1))
    rng.shuffle(order)
    for n in order:
        if found := _again(honest, (*honest.entries[:n], *honest.entries[n + 1 :])):
            return found
    return None


def _cut_end(honest: Honest, rng: random.Random) -> Tampered | None:
    linked = [n for n, link in enumerate(honest.links) if link]
    return _again(honest, honest.entries[: rng.choice(linked)])


def _put_in(honest: Honest, rng: random.Random) -> Tampered | None:
    n = rng.randrange(1, len(honest.entries))
    put = Restored(honest.entries[n].at, rng.choice(("a", "b")))
    return _again(honest, (*honest.entries[:n], put, *honest.entries[n:]))


def _to_opening(honest: Honest, _rng: random.Random) -> Tampered:
    """Nothing is left but what was told before the first move."""
    record = replace(honest.record, links=honest.record.links[:1], entries=honest.entries[:1])
    return Tampered(record, cut_at=0)


# What a dishonest owner makes before or during the match: heads that were noted then fit.


def _weak_key(honest: Honest, rng: random.Random) -> Tampered:
    """Under a key of small order one signature fits every message: what was signed with nothing else."""
    weak = rng.choice(("00" * 32, f"01{'00' * 31}", f"{'00' * 31}80", f"ec{'ff' * 30}7f", f"ee{'ff' * 30}ff"))
    bodies = honest.bodies
    bodies[0] = replace(honest.record.opening, key=weak)
    links = tuple(Signed(body, f"01{'00' * 63}") for body in bodies)
    return Tampered(_with(honest, links), 0)


def _no_version(honest: Honest, rng: random.Random) -> Tampered | None:
    """The rules of a version that never was allow everything."""
    about = replace(honest.about, program=rng.choice(("0.0.1", "2.0", "", "1.0-special")))
    return _illegal(sign_match(honest.known, honest.key, about, honest.entries), rng)


def _change_start(**otherwise: Any) -> Callable[[Honest, random.Random], Tampered | None]:
    """The first entry says this instead."""

    def change(honest: Honest, _rng: random.Random) -> Tampered | None:
        return _again(honest, (replace(honest.entries[0], **otherwise), *honest.entries[1:]))

    return change


def _cards(honest: Honest, rng: random.Random) -> Tampered:
    """The owner calls cards otherwise than they are printed, also in games in which no card can be corrected."""
    start, deck = honest.entries[0], honest.known.shipped
    assert isinstance(start, Start)
    words = {"none.cost": "0"}
    if deck is not None:
        copy = rng.choice(deck.copies()).id
        number = rng.choice(deck.numbers(copy))
        words = {f"{copy}.{number.name}": rng.choice([each.word for each in number.choices if each.word != number.now])}
    corrected = replace(start, deck=words)
    entries = (corrected, *honest.entries[1:])
    bodies = _reseal_links(honest, entries)
    bodies[0] = opening(corrected, "5" * 32, "table", honest.about, honest.key.public)
    return _again(honest, entries) or Tampered(_sign_again(honest, bodies, entries))


def _other_options(honest: Honest, rng: random.Random) -> Tampered | None:
    start, spec = honest.entries[0], honest.known.spec
    assert isinstance(start, Start)
    usual = [each for each in spec.options if start.options[each.name] == each.default and len(each.values) > 1]
    option = rng.choice(usual)
    value = rng.choice([each for each in option.values if each != option.default])
    return _again(honest, (replace(start, options={**start.options, option.name: value}), *honest.entries[1:]))


def _old_format(honest: Honest, rng: random.Random) -> Tampered:
    about = replace(honest.about, format=rng.randint(1, FORMAT - 1))
    return Tampered(sign_match(honest.known, honest.key, about, honest.entries).record)


def _other_seats(honest: Honest, _rng: random.Random) -> Tampered | None:
    """Both sat elsewhere."""
    other: dict[Any, str] = {"a": "b", "b": "a"}
    start, *rest = honest.entries
    assert isinstance(start, Start)
    named = [each.name for each in honest.known.spec.options if each.seats and start.options[each.name] in other]
    options = {**start.options, **{name: other[start.options[name]] for name in named}}
    moved = [replace(entry, seat=other[entry.seat]) if hasattr(entry, "seat") else entry for entry in rest]
    return _again(honest, (replace(start, seats=("b", "a"), options=options), *moved))


def _times(honest: Honest, rng: random.Random) -> Tampered | None:
    begun, *rest = honest.entries
    others: tuple[Callable[[float], float], ...] = (
        lambda at: at - 1e6,
        lambda at: at + 1e9,
        lambda at: round(at / 1e6, 3),
        lambda at: at + 1e-5,
    )
    moved = rng.choice(others)
    start = replace(begun, at=min(0.0, moved(begun.at)))
    changed = _again(honest, (start, *(replace(entry, at=moved(entry.at)) for entry in rest)))
    return None if changed is None else Tampered(changed.record)


def _add_entry(made_at: Callable[[float, random.Random], Entry]) -> Callable[[Honest, random.Random], Tampered | None]:
    """One more entry at some place."""

    def change(honest: Honest, rng: random.Random) -> Tampered | None:
        n = rng.randrange(1, len(honest.entries))
        return _again(honest, (*honest.entries[:n], made_at(honest.entries[n].at, rng), *honest.entries[n:]))

    return change


def _corrected_by_owner(honest: Honest, rng: random.Random) -> Tampered | None:
    n = rng.randrange(1, len(honest.entries))
    words = _draw_correction(honest.known, _states(honest)[n - 1], rng)
    put = Correct(honest.entries[n].at, words)
    return _again(honest, (*honest.entries[:n], put, *honest.entries[n:])) if words else None


def _taken_back(honest: Honest, rng: random.Random) -> Tampered | None:
    """An action is taken back and done once more."""
    order = list(range(1, len(honest.entries)))
    rng.shuffle(order)
    for n in order:
        act = honest.entries[n]
        if isinstance(act, Act):
            put = (Undo(act.at, act.seat), act)
            if found := _again(honest, (*honest.entries[: n + 1], *put, *honest.entries[n + 1 :])):
                return found
    return None


def _ended_by(end: Callable[[float, random.Random], Entry]) -> Callable[[Honest, random.Random], Tampered | None]:
    """The match ends earlier, by a word."""

    def change(honest: Honest, rng: random.Random) -> Tampered | None:
        n = rng.randrange(1, len(honest.entries))
        put = end(honest.entries[n].at, rng)
        there = any(isinstance(entry, type(put)) for entry in honest.entries)
        return None if there else _again(honest, (*honest.entries[:n], put))

    return change


CHANGES: dict[Kind, Callable[[Honest, random.Random], Tampered | None]] = {
    Kind.LINK: _changed_link,
    Kind.TIME: _changed_time,
    Kind.CUT: _cut,
    Kind.DOUBLED: _double_link,
    Kind.SWAPPED: _swap_links,
    Kind.SIGNATURE: _signature,
    Kind.UNSIGNED: _drop_signature,
    Kind.KEY: _key,
    Kind.OPENING: _opening,
    Kind.SALT: _salt,
    Kind.ENTRY: _entry,
    Kind.TOGETHER: _together,
    Kind.ENTRY_CUT: _entry_cut,
    Kind.ENTRY_DOUBLED: _entry_doubled,
    Kind.ILLEGAL: _illegal,
    Kind.DRAW: _draw,
    Kind.SEED: _seed,
    Kind.OPTIONS: _options,
    Kind.LEAK: _leak,
    Kind.TOLD: _change_report,
    Kind.PROGRAM: _program,
    Kind.MIDDLE: _middle,
    Kind.REMADE: _remade,
    Kind.CONSISTENT_CHANGE: _otherwise,
    Kind.CONSISTENT_CUT: _left_out,
    Kind.CONSISTENT_END: _cut_end,
    Kind.CONSISTENT_PUT: _put_in,
    Kind.TO_OPENING: _to_opening,
    Kind.WEAK_KEY: _weak_key,
    Kind.NO_VERSION: _no_version,
    Kind.CARDS: _cards,
    Kind.OTHER_OPTIONS: _other_options,
    Kind.CLOCK: _change_start(clock={"kind": "chess", "seconds": 100_000}),
    Kind.EVENING: _change_start(evening=replace(series(2, 3), played=(EndedMatch((0, 1), (0,)),) * 2)),
    Kind.OLD_FORMAT: _old_format,
    Kind.OLD_ENTRIES: _change_start(version=1),
    Kind.NO_DATA: _change_start(data=""),
    Kind.SEATS: _other_seats,
    Kind.TIMES: _times,
    Kind.CORRECTED: _corrected_by_owner,
    Kind.TAKEN_BACK: _taken_back,
    Kind.OVERRULED: _add_entry(lambda at, rng: Restored(at, rng.choice(("a", "b")))),
    Kind.AGREED: _ended_by(lambda at, _rng: Draw(at)),
    Kind.GIVEN_UP: _ended_by(lambda at, rng: Resign(at, rng.choice(("a", "b")))),
}
BY_HEADS = frozenset(KINDS[KINDS.index(Kind.REMADE) : KINDS.index(Kind.WEAK_KEY)])


def tampering_test(
    trials: int, pattern: Plan, *, jobs: int = 1, folder: Path | None = None, told: OnProgress = no_progress
) -> Tampering:
    """Tampers as often as asked. folder: keeps what was done."""
    plans = {n: replace(pattern, seed=pattern.seed + n) for n in range(trials)}
    kept = StoredResults(folder, {"trials": trials, "pattern": pattern}, Tampering)
    found = total(carried_on(tamper, plans, jobs, kept, told).values(), Tampering())
    return replace(found, notes=found.notes[:MOST_NOTES])


def main() -> int:
    parser = longrun.parser(__doc__, seed=0)
    parser.add_argument("--trials", type=int, default=1000, help="tampered records, and as many honest ones (1000)")
    parser.add_argument("--kind", type=Kind, choices=list(Kind), help="only this kind")
    parser.add_argument("--game", choices=GAMES, help="only this game")
    given = parser.parse_args()
    pattern = Plan(given.seed, given.game, given.kind)
    with longrun.start_run("records") as told:
        result = tampering_test(given.trials, pattern, jobs=given.jobs, folder=given.folder, told=told)
    longrun.show(result, given.json)
    return int(result.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
