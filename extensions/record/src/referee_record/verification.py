"""Verifies a signed record by replaying its entries.

Signatures and chain show that the table said it. The replay shows that it follows from the entries, clause by
clause. Heads kept by others show that the table said nothing else before; without them or the match's end, nothing
counts as verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from device.journal.match_info import Secret
from device.session.match_start import UNFIT
from device.session.table import KnownGame
from device.version import KNOWN
from engine import notation
from engine.entry import VERSION, Act, Correct, Draw, Entry, Restored, Start, Undo
from engine.errors import Refusal
from engine.text import Text, in_context, say
from referee_record.deviations import noteworthy
from referee_record.public_entries import Head, Link, Opening, Seal, commitment, digests, first_unsigned
from referee_record.public_key import Check, PublicKey, check_by_openssl
from referee_record.signed_record import SignedRecord
from referee_record.stream import kind_of, opening, utterances

replace = msgspec.structs.replace


class Result(StrEnum):
    """Result of a verification."""

    VERIFIED = "verified"
    CONSISTENT = "consistent"
    PARTLY = "partly"
    REFUSED = "refused"


SAID: Mapping[Result, Text] = {
    Result.VERIFIED: say(
        "Verified: every entry follows from the rules and matches the table's commitment and others' notes."
    ),
    Result.CONSISTENT: say("Consistent, but not verified: others' notes are missing, or the end of the match is."),
    Result.PARTLY: say("Checked in part: not everything was revealed, or could be checked."),
    Result.REFUSED: say("Refused: something in the record is wrong."),
}
CODES: Mapping[Result, int] = {Result.VERIFIED: 0, Result.REFUSED: 1, Result.CONSISTENT: 3, Result.PARTLY: 4}
"""Exit codes of `referee verify`; 2 is an error."""


class What(StrEnum):
    """Kind of an entry in the list."""

    START = "start"
    LEGAL = "legal"
    CORRECTION = "correction"
    UNDO = "taken back"
    RESTORED = "put right"
    AGREED = "by consent"
    SAID = "said"


NAMED: Mapping[What, Text] = {
    What.START: in_context("an entry of a match", "start"),
    What.LEGAL: in_context("an entry of a match", "legal"),
    What.CORRECTION: in_context("an entry of a match", "correction"),
    What.UNDO: in_context("an entry of a match", "undone"),
    What.RESTORED: in_context("an entry of a match", "put right"),
    What.AGREED: in_context("an entry of a match", "by consent"),
    What.SAID: in_context("an entry of a match", "said"),
}
"""Names of entry kinds for people."""

PUT_IN = say("The record has no link for this entry: the link was cut off, or the entry was put in.")
OPENED_OTHERWISE = say("The opening contradicts the first entry.")
PARTS: Mapping[str, Text] = {
    "n": say("its number"),
    "at": say("its time"),
    "kind": say("its kind"),
    "line": say("the action"),
    "told": say("what was announced"),
    "view": say("what everybody could know"),
    "sealed": say("the entries so far"),
    "clauses": say("the clauses"),
}
"""Names of a link's parts in findings."""


class Checked(msgspec.Struct, frozen=True):
    """An entry.

    entry: number in the match
    link: number in the stream; None if not public
    line: in notation, or all that is public if nothing is revealed
    """

    entry: int
    link: int | None
    what: What
    line: str


class Wrong(msgspec.Struct, frozen=True):
    """The first fault.

    entry, to: range of entries, from 0; None if unknown
    link: where it shows in the stream, from 0
    until: last link that may be wrong; None for `link` alone
    clauses: those violated"""

    link: int
    why: Text
    entry: int | None = None
    to: int | None = None
    clauses: tuple[str, ...] = ()
    until: int | None = None


class Verdict(msgspec.Struct, frozen=True):
    """The finding.

    match: identity
    key: the table's
    program: the playing version
    head: of the last link, to compare
    unchecked: what could not be checked
    entries: before a fault, else all
    noteworthy: deviations from a plain match"""

    result: Result
    match: str
    game: str
    key: str
    program: str
    head: Head
    entries: tuple[Checked, ...]
    unchecked: tuple[Text, ...] = ()
    wrong: Wrong | None = None
    noteworthy: tuple[Text, ...] = ()

    @property
    def code(self) -> int:
        return CODES[self.result]

    @property
    def place(self) -> Text | None:
        """Place of the first fault, in words; None without one."""
        if self.wrong is None:
            return None
        entry, to = self.wrong.entry, self.wrong.to
        if entry is None:
            return say("Link {link} is wrong.", link=self.wrong.link)
        if to in (None, entry):
            return say("Entry {entry} is wrong.", entry=entry)
        return say("One of the entries {first} to {last} is wrong.", first=entry, last=to or entry)


class _Replay(msgspec.Struct):
    """State of a replay. by_rules: the fault follows from this version's rules, which may differ from the playing
    version's. over: the match ended."""

    checked: list[Checked]
    wrong: Wrong | None = None
    by_rules: bool = False
    over: bool = False


def verify(
    record: SignedRecord, known: KnownGame, program: str, kept: Sequence[Head] = (), check: Check = check_by_openssl
) -> Verdict:
    """Return the verdict. known: the record's game. program: the verifying version. kept: others' heads. check:
    checks signatures."""
    first, hashes = record.opening, tuple(digests(record.links))
    own = tuple(Head(n, digest.hex()) for n, digest in enumerate(hashes))
    unsigned = _find_unsigned(record, hashes, check) or _find_disorder(record)
    found = _replay(record, known) if record.entries else _Replay(_links(record))
    doubted = found.wrong if found.by_rules and _had_other_rules(record, program) else None
    replayed = found.wrong if doubted is None else _find_unsealed(record)
    wrongs = [each for each in (unsigned, replayed, _unlike(own, kept)) if each is not None]
    wrong = _first(wrongs)
    checked = tuple(found.checked if wrong is None else _before(found.checked, wrong))
    cut_off = bool(record.entries) and found.wrong is None and not found.over
    unchecked = tuple(_unchecked_parts(record, own, kept, doubted, program, cut_off=cut_off))
    known_heads = {each.n for each in kept} >= {0, own[-1].n}
    if wrong is not None:
        result = Result.REFUSED
    elif not record.entries or not first.commitment or doubted is not None:
        result = Result.PARTLY
    else:
        result = Result.VERIFIED if known_heads and own[-1].n > 0 and not cut_off else Result.CONSISTENT
    return Verdict(
        result,
        first.match,
        first.game,
        first.key,
        first.program,
        own[-1],
        checked,
        unchecked,
        _locate_fault(wrong, found),
        tuple(noteworthy(record, known, program)),
    )


def _first(wrongs: Sequence[Wrong]) -> Wrong | None:
    """Return the earliest fault, or None. If it spans several links, later faults may narrow it."""
    first = min(wrongs, key=lambda each: each.link, default=None)
    if first is None or first.until is None:
        return first
    until = min((first.until, *(each.link if each.until is None else each.until for each in wrongs)))
    return replace(first, until=until if until > first.link else None)


def _unchecked_parts(
    record: SignedRecord, own: Sequence[Head], kept: Sequence[Head], doubt: Wrong | None, program: str, *, cut_off: bool
) -> Iterator[Text]:
    """Yield what could not be checked. doubt: a fault that only this version's rules find."""
    first, last = record.opening, own[-1].n
    if not record.entries:
        yield say(
            "Nothing is revealed, so neither the actions nor the random draw can be checked, nor whether the match "
            "went on."
        )
    if not first.commitment:
        yield say("The table committed to nothing before the first move: seed and options may have been chosen later.")
    if doubt is not None and first.program == program:
        yield say("The match was played before this version was finished, which says now: {why}", why=doubt.why)
    elif doubt is not None:
        yield say(
            "The match was played with version {played}. Verify it with that version; version {here} says: {why}",
            played=first.program,
            here=program,
            why=doubt.why,
        )
    if cut_off:
        yield say("The match does not end in this record: its end may have been cut off.")
    known = {each.n for each in kept}
    if not known:
        yield say(
            "No heads are known: the owner of the table's key could have made the whole record later, or cut "
            "out part of it."
        )
    elif 0 not in known:
        yield say("Head 0 is not known: the commitment may have been made after the first move.")
    if known and last not in known:
        yield say(
            "No head is known beyond link {link}: everything after it may have been changed or cut off.",
            link=max(known),
        )


def _find_unsigned(record: SignedRecord, hashes: Sequence[bytes], check: Check) -> Wrong | None:
    try:
        key = PublicKey(record.opening.key, check)
    except ValueError as error:
        return Wrong(0, say("The table's key is not valid: {error}", error=str(error)))
    found = first_unsigned(record.links, hashes, key)
    if found is None:
        return None
    begin, end = found
    why = say("It is not what the table's key signed: entries were changed, moved, added or left out.")
    if end == len(record.links):
        why = say("No signature covers this entry, so later entries may have been cut off.")
    return Wrong(begin, why, until=end if end > begin else None)


def _had_other_rules(record: SignedRecord, program: str) -> bool:
    """Return True if the match was played by another version's rules."""
    start, played = record.entries[0], record.opening.program
    return (played != program and played in KNOWN) or (isinstance(start, Start) and start.version < VERSION)


def _find_unsealed(record: SignedRecord) -> Wrong | None:
    """Return the first link that does not seal the revealed entries, whatever the rules; None if all do."""
    assert record.salt is not None
    seal, sealed = Seal(record.salt), dict[str, int]()
    for number, entry in enumerate(record.entries):
        seal.add((entry,))
        sealed[seal.now()] = number
    before = 0
    for n, link in enumerate(record.links[1:], start=1):
        body = link.body
        assert isinstance(body, Link)
        number = sealed.get(body.sealed, 0)
        entry = record.entries[number]
        if number <= before or (body.at, body.kind) != (entry.at, kind_of(entry)):
            why = say("Doesn't follow from the entries: {parts}.", parts=PARTS["sealed"])
            return Wrong(n, why, before + 1, number if number > before else None)
        before = number
    if any(not isinstance(entry, Act) for entry in record.entries[before + 1 :]):
        return Wrong(len(record.links), PUT_IN, before + 1, len(record.entries) - 1)
    return None


def _find_disorder(record: SignedRecord) -> Wrong | None:
    """Return the first misnumbered or too early link as a fault; None without one."""
    last = 0.0
    for n, link in enumerate(record.links[1:], start=1):
        body = link.body
        assert isinstance(body, Link)
        if body.n != n or body.at < last:
            why = say(
                "It claims to be link {link} at {at} s, which cannot follow the link before.",
                link=body.n,
                at=str(body.at),
            )
            return Wrong(n, why)
        last = body.at
    return None


def _unlike(own: Sequence[Head], kept: Sequence[Head]) -> Wrong | None:
    """Return the first fault that others' heads show, at a link or in a range; None without one."""
    there, good = {each.n: each.hash for each in own}, -1
    for head in sorted(kept, key=lambda each: each.n):
        if there.get(head.n, "").startswith(head.hash):
            good = head.n
            continue
        if head.n not in there:
            why = say("Others noted link {link}, which is missing here: something was cut off.", link=head.n)
            return Wrong(min(good + 1, len(own)), why, until=len(own))
        if head.n > good + 1:
            why = say(
                "Others have a different link between {first} and {last}: "
                "it was changed, cut out or put in, and signed again.",
                first=good + 1,
                last=head.n,
            )
        else:
            why = say(
                "Others have a different link {link}: it was changed, cut out or put in, and signed again.", link=head.n
            )
        return Wrong(good + 1, why, until=head.n)
    return None


def _replay(record: SignedRecord, known: KnownGame) -> _Replay:
    """Replay the revealed entries beside the stream."""
    assert record.salt is not None
    found, first, entries = _Replay([]), record.opening, record.entries
    start = entries[0]
    assert isinstance(start, Start)
    if first.commitment and commitment(record.salt, start, first.program) != first.commitment:
        why = say("Seed, options, data, version or salt differ from the commitment.")
        found.wrong = Wrong(0, why, 0, 0)
        return found
    secret = Secret(record.salt.hex(), first.program, bool(first.commitment), first.format)
    expected = opening(start, first.match, first.table, secret, first.key)
    if expected != first:
        found.wrong = Wrong(0, OPENED_OTHERWISE, 0, 0)
        return found
    _go_through(found, record, known, expected)
    found.by_rules = found.wrong is not None
    return found


def _go_through(found: _Replay, record: SignedRecord, known: KnownGame, first: Opening) -> None:
    assert record.salt is not None
    links, entries, agreed, n = record.links, record.entries, 0, 0
    try:
        for each in utterances(known, entries, first, record.salt):
            if each.body is not None:
                if n >= len(links):
                    found.wrong = Wrong(n, PUT_IN, agreed, each.entry)
                    return
                if (otherwise := _unequal(links[n].body, each.body)) is not None:
                    found.wrong = Wrong(n, otherwise, agreed, each.entry)
                    return
                agreed, n = each.entry + 1, n + 1
            found.over = each.over
            link = None if each.body is None else n - 1
            entry = entries[each.entry]
            line = each.body.line if isinstance(each.body, Link) else ""
            found.checked.append(Checked(each.entry, link, _what(entry), line or _line(entry)))
    except Refusal as refusal:
        at = len(found.checked)
        broken = say("{action}: {why}", action=_line(entries[at]), why=refusal.text)
        if refusal.clauses:
            broken = say("{why} ({clauses})", why=broken, clauses=", ".join(refusal.clauses))
        found.wrong = Wrong(n, broken, agreed, at, refusal.clauses)
        return
    except UNFIT:
        found.wrong = Wrong(n, say("No match of this game can reach this point."), agreed, len(found.checked))
        return
    if n < len(links):
        why = say("No entry leads to this link: an entry was cut off, or the link was put in.")
        found.wrong = Wrong(n, why, len(entries), len(entries))


def _unequal(there: object, expected: object) -> Text | None:
    """Return the difference between a link and what follows from the entries; None if equal."""
    if there == expected:
        return None
    if not (isinstance(there, Link) and isinstance(expected, Link)):
        return OPENED_OTHERWISE
    differ = [name for key, name in PARTS.items() if getattr(there, key) != getattr(expected, key)]
    more = [text for text in there.told if text not in expected.told]
    why = say("Doesn't follow from the entries: {parts}.", parts=_list_names(differ))
    return say("{why} It announces “{told}”, which nobody should know yet.", why=why, told=more[0]) if more else why


def _list_names(names: Sequence[Text]) -> Text:
    listed = names[0]
    for name in names[1:]:
        listed = Text("{a}, {b}", (("a", listed), ("b", name)))
    return listed


def _before(checked: Sequence[Checked], wrong: Wrong) -> Iterator[Checked]:
    """Yield the entries before a fault."""
    for each in checked:
        if (each.link is not None and each.link >= wrong.link) or (
            wrong.entry is not None and each.entry >= wrong.entry
        ):
            return
        yield each


def _locate_fault(wrong: Wrong | None, found: _Replay) -> Wrong | None:
    """Return the fault, with the range of entries if only the stream shows it."""
    if wrong is None or wrong.entry is not None or not found.checked:
        return wrong
    last = wrong.link if wrong.until is None else wrong.until
    at = next((each.entry for each in found.checked if each.link == last), None)
    if at is None and last <= max(each.link or 0 for each in found.checked):
        return wrong
    at = len(found.checked) if at is None else at
    before = max(
        (each.entry + 1 for each in found.checked if each.link is not None and each.link < wrong.link), default=0
    )
    return replace(wrong, entry=before, to=at)


def _links(record: SignedRecord) -> list[Checked]:
    """Return the links of a record that reveals nothing."""
    bodies = (link.body for link in record.links[1:])
    told = ((body.line or " ".join(body.told) or body.kind) for body in bodies if isinstance(body, Link))
    return [Checked(n, n, What.SAID, line) for n, line in enumerate(told, start=1)]


def _what(entry: Entry) -> What:
    match entry:
        case Start():
            return What.START
        case Correct():
            return What.CORRECTION
        case Undo():
            return What.UNDO
        case Restored():
            return What.RESTORED
        case Draw():
            return What.AGREED
        case _:
            return What.LEGAL


def _line(entry: Entry) -> str:
    return "start" if isinstance(entry, Start) else notation.write_line(entry)
