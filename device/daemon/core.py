"""Connects session and journal: effects are stored before they are shown (law 2)."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from device.daemon.forgetting import forget, known_names
from device.daemon.match_identity import Chance, people, with_people
from device.journal import About, Journal, JournalError, JournalFull, JournalNewer
from device.key_gestures import Key
from device.logs import place
from device.screens.screen import Screen
from device.session import last_time, match_start, names, offers
from device.session.aim import Aim
from device.session.match_start import OTHER_VERSION, UNFIT, look_at_stage, power_on
from device.session.matches import add_notes, over
from device.session.messages import (
    Append,
    Dismiss,
    Effect,
    Given,
    Input,
    Invite,
    Keep,
    KeepDeck,
    Leave,
    NameForgotten,
    Restarted,
    SendToVision,
    Silence,
    Tend,
    Unkept,
)
from device.session.screens import Read, language_of, reads, screen, screens
from device.session.state import Play, Session
from device.session.step import step, wake_at
from device.session.table import SHARED, KnownGame, Table
from engine.entry import Entry, Start
from engine.errors import Refusal
from engine.text import Text, say
from vision.files import write_whole
from vision.messages import Report, ToWorker

_log = logging.getLogger(__name__)
RETRY_S = 5.0
"""Seconds before retrying an observation that could not be stored."""
BREATH_S = 1.0
"""Seconds between automatic retries on a full disk."""

UNJUDGED = say("The camera can't follow this match. Enter each move yourself.")


class Output(Protocol):
    """Receives the effects of a step."""

    def show(self, display: str, screen: Screen, language: str) -> None: ...

    def look(self, message: ToWorker) -> None: ...

    def wish(self, wish: Invite | Dismiss | Tend) -> None:
        """Handle a change of phones, or the owner's choice at the buttons."""
        ...


class EntryListener(Protocol):
    """Receives stored entries of the current match."""

    match: str
    """Identity of the latest match."""

    def begin(self, known: KnownGame, entries: Sequence[Entry], about: About) -> Text | None:
        """Begin or resume a match; return a note for everybody before its first move, or None."""
        ...

    def add(self, entries: Sequence[Entry]) -> None:
        """Receive entries, fast; slow work belongs in `publish`."""
        ...

    def last(self) -> Text | None:
        """Return a note for everybody at the end of a match, or None."""
        ...

    def leave(self) -> None:
        """Publish what is open before the match is left."""
        ...

    def publish(self) -> None:
        """Publish received entries, after the table has shown them."""
        ...


class Store(msgspec.Struct, frozen=True):
    """The storage. unsaved: why it isn't permanent, or None. decks: folder of corrected cards, or None."""

    journal: Journal
    unsaved: Text | None = None
    decks: Path | None = None


class Core:
    """Owns the current session. Not thread-safe."""

    def __init__(
        self,
        table: Table,
        store: Store,
        chance: Chance,
        output: Output,
        *,
        now: Callable[[], float],
        told: tuple[Text, ...] = (),
        goes_on: bool = False,
        listener: EntryListener | None = None,
    ) -> None:
        """Resume the journal's match, or begin with the questions, and show it. told: known faults. goes_on: survive
        errors in judging pictures."""
        self.table, self.journal, self._store, self._chance = table, store.journal, store, chance
        self._output, self._listener, self._now, self._found = output, listener, now, told
        self._goes_on, self._unjudged = goes_on, False
        self._shown: dict[str, tuple[Screen, str]] = {}
        self._read: dict[str, Read] = {}
        self._aims: Mapping[str, Aim] | None = None
        self._changes_at: float | None = None
        self._described: int | None = None
        self._pending = self.journal.setting(match_start.PENDING) or ""
        self._retry: Report | None = None
        self.session, effects = self._power_on()
        try:
            self._keep_open()  # faults found are open, too
        except OSError as error:
            _log.error("%s", error)
        self._carry_out(effects)
        self._refresh()

    def take(self, given: Input) -> None:
        """Process one input: step, journal, then displays."""
        retry = self._retry
        if retry is not None and (_weighs(given) or given.at >= retry.at + RETRY_S):
            self._retry = None
            self._step(msgspec.structs.replace(retry, at=given.at))
        self._step(given)
        self._refresh(given)

    def publish(self) -> None:
        """Publish stored entries, after displays and pages have them."""
        if self._listener is not None:
            self._listener.publish()

    @property
    def match(self) -> str:
        """Identity of the current match; "" without one."""
        return self._listener.match if self._listener is not None and isinstance(self.session.stage, Play) else ""

    def wake_at(self) -> float | None:
        """Return when the next `Tick` is due; None for never."""
        due, now = wake_at(self.session), self.session.now
        if self.session.unkept is None:
            return due
        return now + RETRY_S if due is None else max(now + BREATH_S, min(due, now + RETRY_S))

    @property
    def records(self) -> Path:
        """The journal's path."""
        return self.journal.path

    def load_setting(self, name: str) -> str | None:
        """Return a stored setting, or None."""
        return self.journal.setting(name)

    def keep(self, name: str, value: str) -> None:
        """Store a setting at once. Raises JournalError."""
        self.journal.write(settings={name: value})

    def resume_vision(self) -> None:
        """Tell the session of a new vision worker, and send the worker its orders."""
        self.take(Restarted(self._now()))
        for look in look_at_stage(self.table, self.session):
            self._output.look(look.message)

    def show_all(self) -> None:
        """Send every screen again."""
        self._shown.clear()
        self._read.clear()
        self._aims = None
        self._refresh()

    def warn(self, error: JournalError) -> None:
        """Tell everybody about a journal's fault found between writes."""
        _log.error("%s", error)
        self.session, effects = step(self.table, self.session, Unkept(self._now(), error.refused))
        self._carry_out(effects)
        self._refresh()

    def _power_on(self) -> tuple[Session, tuple[Effect, ...]]:
        number, why = self.journal.current, None
        entries: Sequence[Entry] = ()
        try:
            entries = () if number is None else self.journal.entries(number)
            session, effects = self._resume_match(entries)
        except JournalError as error:
            _log.error("%s", error)
            newer = say("It was recorded by a newer referee: update this one.")
            why = newer if isinstance(error, JournalNewer) else say("Its record cannot be read.")
        except Refusal as refusal:
            why = refusal.text
        except UNFIT as error:
            _log.error("match %s cannot be shown: %s at %s", number, type(error).__name__, place(error))
            why = OTHER_VERSION
        if why is None:
            return self._add_signature(session, entries), effects
        _log.error("match %s cannot be gone on with, but is kept: %s", number, why)
        parked = say("The interrupted match can't continue, but it is kept: {why}", why=why)
        return self._begin((), parked)

    def names(self) -> tuple[str, ...]:
        """Return all names in the journal."""
        return known_names(self.journal)

    def forget(self, name: str) -> int:
        """Delete a name everywhere; return how many matches had it. Raises JournalError."""
        found = forget(self.journal, name)
        self.take(NameForgotten(self._now(), name))
        return found

    def _resume_match(self, entries: Sequence[Entry]) -> tuple[Session, tuple[Effect, ...]]:
        """Resume with the open matters, or without if this version can't show them."""
        try:
            session, effects = self._begin(entries, again=True, pending=self._pending)
            screens(self.table, session)
        except UNFIT as error:
            if not self._pending:
                raise
            _log.error("what was open cannot be shown: %s at %s", type(error).__name__, place(error))
            session, effects = self._begin(entries, again=True)
            screens(self.table, session)
        return session, effects

    def _begin(
        self, entries: Sequence[Entry], *more: Text, again: bool = False, pending: str = ""
    ) -> tuple[Session, tuple[Effect, ...]]:
        remembered = names.decode(self.journal.setting(names.SETTING))
        last = last_time.decode(self.table, self.journal.setting(last_time.SETTING), remembered) if again else None
        return power_on(
            self.table,
            entries,
            seed=self._chance.seed,
            lots=self._chance.fresh_lots(),
            now=self._now(),
            language=self.journal.setting("language"),
            remembered=remembered,
            people=people(self.journal.about(self.journal.current)) if entries and self.journal.current else None,
            told=(*self._found, *more),
            unsaved=self._store.unsaved,
            last=last,
            pending=pending,
        )

    def _step(self, given: Input) -> None:
        if self._unjudged and isinstance(given, Report | Silence | Restarted):
            return
        following, effects = self._judge_input(given)
        try:
            kept = self._keep(effects, following)
        except OSError as error:
            _log.error("%s", error)
            self._retry = given if isinstance(given, Report) else self._retry
            following, effects = step(self.table, self.session, Unkept(given.at, _why(error)))
            kept = False
        begun = any(isinstance(effect, Append) and isinstance(effect.entries[0], Start) for effect in effects)
        left = isinstance(self.session.stage, Play) and (begun or not isinstance(following.stage, Play))
        if left and self._listener is not None:
            self._listener.leave()
        if kept:
            following = self._add_signature(following, _entries(effects))
        if begun:
            seed, lots = self._chance.fresh_seed(), self._chance.fresh_lots()
            following = msgspec.structs.replace(following, seed=seed, lots=lots)
        if begun or left:
            self._unjudged = False
        self.session = msgspec.structs.replace(following, unkept=None) if kept else following
        self._carry_out(effects)

    @property
    def finished(self) -> int | None:
        """Journal number of the finished match on the pages; None without one."""
        play = self.session.stage
        return self.journal.current if isinstance(play, Play) and over(play) else None

    @property
    def begun(self) -> float | None:
        """Start of the current match in seconds since 1970 (UTC); None if the clock was not set."""
        about = self.journal.about(self.journal.current or 0)
        return about.begun if about.clock_set else None

    def _add_signature(self, session: Session, entries: Sequence[Entry]) -> Session:
        play, first = session.stage, None
        if self._listener is None or not entries:
            return session
        if isinstance(entries[0], Start):
            known, about = self.table.games[entries[0].game], self.journal.about(self.journal.current or 0)
            first = self._listener.begin(known, entries, about)
        else:
            self._listener.add(entries)
        if not isinstance(play, Play):
            return session
        last = self._listener.last() if over(play) else None
        return msgspec.structs.replace(session, stage=add_notes(play, first, last))

    def _judge_input(self, given: Input) -> tuple[Session, tuple[Effect, ...]]:
        """Compute a step. After an error in judging a picture, continue without camera (law 6)."""
        try:
            return step(self.table, self.session, given)
        except Exception as error:
            if not self._goes_on or self._unjudged or not (isinstance(given, Report) or self.session.watched):
                raise
            _log.error("a picture cannot be judged: %s at %s", type(error).__name__, place(error))
        blind, _ = step(self.table, self.session, Restarted(given.at))
        self.session, _ = step(self.table, blind, Silence(given.at, UNJUDGED))
        self._unjudged = True
        return (self.session, ()) if isinstance(given, Report) else step(self.table, self.session, given)

    def _keep(self, effects: Sequence[Effect], following: Session) -> bool:
        entries = _entries(effects)
        settings: dict[str, str] = {}
        leave = False
        for effect in effects:
            match effect:
                case Keep():
                    settings[effect.name] = effect.value
                case Leave():
                    leave = True
                case KeepDeck():
                    self._keep_deck(effect)
                case _:
                    pass
        if following.people != self.session.people:
            settings[names.SETTING] = names.encode(following.people)
        renamed = following.stage is not self.session.stage and _has_renamed(self.session, following)
        begins = bool(entries) and isinstance(entries[0], Start)
        if isinstance(following.stage, Play) and (begins or renamed):
            settings[last_time.SETTING] = last_time.encode_play(following.stage)
        pending = self._pending if following.stage is self.session.stage else _pending(following)
        if pending != self._pending:
            settings[match_start.PENDING] = pending
        if entries or settings or leave or renamed:
            about = self._about(entries, following, renamed=renamed) if entries or renamed else None
            self.journal.write(entries, settings=settings, leave=leave, about=about)
            self._described = self.journal.current if entries else self._described
            self._pending = pending
        return bool(entries)

    def _about(self, entries: Sequence[Entry], following: Session, *, renamed: bool) -> About | None:
        goes_on = _goes_on(self.session) and _goes_on(following)
        if not renamed and goes_on and self._described is not None and self._described == self.journal.current:
            return None
        known = None if entries and isinstance(entries[0], Start) else self.journal.about(self.journal.current or 0)
        about = known or self._chance.identity.begin()
        if isinstance(following.stage, Play):
            about = with_people(self._chance.identity.with_end(about, following.stage.match), following.stage)
        return None if about == known else about

    def _keep_open(self) -> None:
        pending = _pending(self.session)
        if pending != self._pending:
            self.keep(match_start.PENDING, pending)
            self._pending = pending

    def _keep_deck(self, kept: KeepDeck) -> None:
        known = self.table.games[kept.game]
        if self._store.decks is not None:
            write_whole(self._store.decks / known.spec.data["deck"], kept.deck.toml().encode())
        games = {**self.table.games, kept.game: known.with_cards(kept.deck)}
        self.table = msgspec.structs.replace(self.table, games=games)

    def _carry_out(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            match effect:
                case SendToVision():
                    self._output.look(effect.message)
                case Invite() | Dismiss() | Tend():
                    self._output.wish(effect)
                case _:
                    pass

    def _refresh(self, given: Input | None = None) -> None:
        """Draw screens whose inputs changed, the presser's first."""
        session, due = self.session, self._changes_at
        if session.aims is self._aims and (due is None or session.now < due):
            return
        first = _pressed_at(given)
        for display in sorted(self.table.displays, key=lambda name: name != first):
            read = reads(self.table, session, display)
            if self._read.get(display) == read:
                continue
            self._read[display] = read
            shown = (screen(self.table, session, display), language_of(session, display))
            if self._shown.get(display) != shown:
                self._shown[display] = shown
                self._output.show(display, *shown)
        self.session = offers.note_shown(session, self._now())
        self._aims, self._changes_at = self.session.aims, wake_at(self.session)


def _entries(effects: Sequence[Effect]) -> tuple[Entry, ...]:
    return tuple(entry for effect in effects if isinstance(effect, Append) for entry in effect.entries)


def _pending(session: Session) -> str:
    play = session.stage
    return match_start.encode_pending(play) if isinstance(play, Play) and play.pending else ""


def _goes_on(session: Session) -> bool:
    return isinstance(session.stage, Play) and session.stage.match.result is None


def _has_renamed(session: Session, following: Session) -> bool:
    return _goes_on(session) and _goes_on(following) and session.stage.people != following.stage.people


def _pressed_at(given: Input | None) -> str | None:
    if not isinstance(given, Key):
        return None
    return SHARED if given.seat is None else given.seat


def _why(error: OSError) -> Text:
    if isinstance(error, JournalError):
        return error.refused
    return JournalFull.refused if error.errno == errno.ENOSPC else JournalError.refused


def _weighs(given: Input) -> bool:
    return isinstance(given, Given) or (isinstance(given, Report) and given.observation is not None)
