"""What a seat's page lists, and what a tap on a line does. Taps neither move nor read the cursors of any button.

A page has two lists: the answers to what is asked now, and a menu that is always there. Each line carries what it does;
buttons do the same by other ways (`device.session.desk`, `setup`, `ending`, `system`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import msgspec

from device.session import aim, consent, desk, ending, setup, system
from device.session.aim import TapList, TapLists
from device.session.alerts import cleared
from device.session.matches import known_of, over
from device.session.messages import Tap
from device.session.offers import proposed
from device.session.opening import check_page
from device.session.pages import action_text
from device.session.sentences import Choices, Sentence, sentences
from device.session.sight import Result
from device.session.state import Desk, Mode, Page, Play, Proposal, ProposalKind, Session, Setup, page_of
from device.session.system import MenuLine
from device.session.table import Table
from engine.game import Choice, Words
from engine.table import Seat
from engine.text import Text, say

replace = msgspec.structs.replace
MOST_LINES = 24
"""Lines of a list on a page, unless the next words are more."""

Back: TypeAlias = "Callable[[], Result]"


class Listing(msgspec.Struct, frozen=True):
    """A list on a page. back: one step back, if that is possible. about: what is decided, where the lines do not say it
    all. asks: a question that came up by itself or that has to be read, even by whoever led to it: `urgent`."""

    lines: tuple[MenuLine, ...] = ()
    asks: Text | None = None
    path: tuple[Text, ...] = ()
    back: Back | None = None
    about: tuple[object, ...] = ()
    urgent: bool = False

    @property
    def texts(self) -> tuple[Text, ...]:
        """The lines as they are read."""
        return tuple(line.text for line in self.lines)

    @property
    def offers(self) -> tuple[object, ...]:
        """All that a tap would decide."""
        return self.about, self.asks, self.path, self.texts, self.back is not None

    def at(self, place: int) -> Callable[[], Result] | None:
        """What the line at this place does, or the step back (-1); None if there is no such line."""
        if place == -1:
            return self.back
        return self.lines[place].does if 0 <= place < len(self.lines) else None


def answers(table: Table, session: Session, seat: Seat) -> Listing:
    """What a seat may answer now."""
    stage = session.stage
    if isinstance(stage, Setup):
        return _set_up(table, session, stage)
    if seat not in stage.match.start.seats:
        return _ended(table, session, stage, None) if over(stage) else Listing()
    return _played(table, session, stage, seat)


def menu(table: Table, session: Session, seat: Seat) -> Listing:
    """What a seat may do at any time of a match."""
    stage = session.stage
    if isinstance(stage, Setup) or seat not in stage.match.start.seats:
        return Listing()
    return Listing(system.menu(table, session, stage, seat, page_of(seat)))


def relisted(table: Table, session: Session, tap: Tap | None) -> Session:
    """After a step: what stands on the pages from now on. tap: what was given, if it was a tap."""
    lists = dict(session.lists)
    done = tap is not None and tap.menu and not _refused(session, tap.seat)
    for seat in session.phones:
        before = lists.get(seat, TapLists())
        asked = answers(table, session, seat)
        own = tap is not None and tap.seat == seat and tap.serial in (before.answers.serial, before.menu.serial)
        lists[seat] = TapLists(
            aim.listed(before.answers, asked.offers, session.now, known=own and not asked.urgent),
            aim.listed(before.menu, menu(table, session, seat).offers, session.now, known=own, done=own and done),
        )
    return replace(session, lists=lists)


def _refused(session: Session, seat: Seat) -> bool:
    """Whether what this seat's page tapped last was refused."""
    return isinstance(session.stage, Play) and session.stage.desk(page_of(seat)).alert is not None


def meant(session: Session, tap: Tap) -> bool:
    """True if a tap is meant for what its page lists now."""
    return aim.aimed(_list_of(session, tap), tap.serial, tap.at, tap.shown)


def changed(table: Table, session: Session, tap: Tap) -> bool:
    """True if, within this very step, something else is listed than what the tap was meant for."""
    return _listing(table, session, tap).offers != _list_of(session, tap).offers


def hits(table: Table, session: Session, tap: Tap) -> bool:
    """Whether there is a line where a page was tapped."""
    return _listing(table, session, tap).at(tap.line) is not None


def tapped(table: Table, session: Session, tap: Tap) -> Result:
    """What a tap does. Raises Refusal, which concerns its seat alone."""
    stage = session.stage
    if isinstance(stage, Play):
        panel = page_of(tap.seat)
        read = stage if stage.asks(tap.seat) else cleared(stage)  # only who reads an alert takes it away
        session = replace(session, stage=read.put(panel, replace(read.desk(panel), alert=None, plain=False)))
    does = _listing(table, session, tap).at(tap.line)
    return (session, ()) if does is None else does()


def _listing(table: Table, session: Session, tap: Tap) -> Listing:
    return menu(table, session, tap.seat) if tap.menu else answers(table, session, tap.seat)


def _list_of(session: Session, tap: Tap) -> TapList:
    lists = session.lists.get(tap.seat, TapLists())
    return lists.menu if tap.menu else lists.answers


# --- before and after a match


def _set_up(table: Table, session: Session, stage: Setup) -> Listing:
    cares, checks = stage.page is Page.CARE, stage.page is Page.CHECK  # care is for whoever stands at the table
    lines = tuple(
        MenuLine(item.text, partial(setup.choose, table, session, stage, place))
        for place, item in enumerate(setup.items(table, session, stage))
        if not cares and (item.then is None or item.then.page is not Page.CARE)
    )
    wrong = check_page(table, session, stage).faults if checks else ()
    leaves = not cares and (stage.trail or stage.page is not Page.LANGUAGE)
    back = partial(setup.back, session, stage) if leaves else None
    about = (stage.page, stage.game, stage.option, stage.card, stage.number, stage.phone, wrong)
    spoken = say("Which language does the table speak?") if stage.page is Page.LANGUAGE else None
    return Listing(lines, spoken or setup.help_text(stage, table), back=back, about=about, urgent=checks)


def _ended(table: Table, session: Session, play: Play, seat: Seat | None) -> Listing:
    """What may come next."""
    return Listing(ending.lines(table, session, play, seat, page=True), about=("ended",), urgent=True)


# --- during a match


def _played(table: Table, session: Session, play: Play, seat: Seat) -> Listing:
    panel = page_of(seat)
    if play.asks(seat):
        return _asked(table, session, play, seat)
    match play.desk(panel).mode:
        case Mode.CORRECT:
            return _correcting(table, session, play, seat)
        case Mode.RESIGN | Mode.PHONE as mode:
            lines = system.entries(table, session, play, seat, panel)
            called = say("Resign") if mode is Mode.RESIGN else say("By phone")
            return Listing(lines, path=(called,), back=_closed(session, play, panel))
        case Mode.CONFIRM:
            return _confirming(table, session, play, seat)
        case _ if over(play):
            return _ended(table, session, play, seat)
        case _:
            return _free(table, session, play, seat)


def _asked(table: Table, session: Session, play: Play, seat: Seat) -> Listing:
    """A question of the arbiter, or whether the seat agrees to what is proposed."""
    known, panel, proposal = known_of(table, play), page_of(seat), play.proposal
    lines = tuple(
        MenuLine(text, partial(desk.answered, table, session, play, seat, panel, place))
        for place, text in enumerate(desk.asked(known, play, seat))
    )
    if play.case.question is not None or proposal is None:
        return Listing(lines, say("What happened?"), about=("question",), urgent=True)
    return Listing(lines, consent.text(known, play, proposal), about=proposed(proposal), urgent=True)


def _free(table: Table, session: Session, play: Play, seat: Seat) -> Listing:
    """Nothing is asked: going on after a pause, what became of an order, or an action on one's turn."""
    panel = page_of(seat)
    if play.match.paused:
        return Listing((system.pausing(table, session, play, panel),), urgent=True)
    right = (system.right(table, session, play, seat, panel),) if play.case.way_out else ()
    owed = play.match.owed
    if owed is not None:
        lines = system.done(table, session, play, panel)[:-1]  # a page is not left to say that nothing was done yet
        return Listing((*lines, *right), about=owed.words, urgent=True)
    known, state = known_of(table, play), play.match.state
    if seat not in known.game.actors(state):
        going_on = (MenuLine(say("Go on"), lambda: (replace(session, stage=play), ())),) if play.resting else ()
        return Listing((*going_on, *right))
    return _acting(table, session, play, seat, right)


def _acting(table: Table, session: Session, play: Play, seat: Seat, more: tuple[MenuLine, ...]) -> Listing:
    """Whole actions where they fit, else the words that begin them."""
    known, panel = known_of(table, play), page_of(seat)

    def choose(line: Sentence) -> Result:
        if line.final and not line.costs:
            return desk.finished(table, session, play, seat, panel, line.words)
        mode = Mode.CONFIRM if line.final else Mode.ACT
        return desk.put(session, play, panel, _longer(play.desk(panel), mode, line))

    able = _able(table, session, play, seat)

    def choices(words: Words) -> tuple[Choice, ...]:
        found = known.game.choices(play.match.state, seat, words)
        return found if able is None else tuple(each for each in found if (*words, each.word) in able)

    return _opened(session, play, panel, choices, choose, more)


def _able(table: Table, session: Session, play: Play, seat: Seat) -> frozenset[Words] | None:
    """What the cards of this seat can do, and every beginning of it; None where nobody knows them. At the virtual table
    nothing is offered until that is known."""
    if not table.simulated or known_of(table, play).spec.dealer is None:
        return None
    told = session.able.get(seat)
    if told is None or told.state != play.match.state:
        return frozenset()
    if told.words is None:
        return None
    return frozenset(words[:count] for words in told.words for count in range(1, len(words) + 1))


def _correcting(table: Table, session: Session, play: Play, seat: Seat) -> Listing:
    panel, found = page_of(seat), system.correctable(table, play, seat)
    game = known_of(table, play).game

    def choose(line: Sentence) -> Result:
        if line.final:
            wanted = Proposal(ProposalKind.CORRECT, seat, line.words, again=found.again)
            return system.propose(table, session, play, panel, wanted)
        return desk.put(session, play, panel, _longer(play.desk(panel), Mode.CORRECT, line))

    listing = _opened(session, play, panel, lambda words: game.corrections(found.state, words), choose, ())
    path = (say("Correct the referee"), *listing.path)
    return replace(listing, path=path, back=listing.back or _closed(session, play, panel))


def _confirming(table: Table, session: Session, play: Play, seat: Seat) -> Listing:
    panel = page_of(seat)
    words = play.desk(panel).words
    back = _backwards(session, play, panel)
    yes = MenuLine(say("Yes"), partial(desk.finished, table, session, play, seat, panel, words))
    asks = say("Sure? {action}", action=action_text(known_of(table, play), play.match.state, seat, words))
    return Listing((yes, MenuLine(say("No"), back)), asks, back=back, about=words, urgent=True)


def _opened(
    session: Session,
    play: Play,
    panel: str,
    choices: Choices,
    choose: Callable[[Sentence], Result],
    more: tuple[MenuLine, ...],
) -> Listing:
    """The list that follows the words chosen so far, past words that leave no choice."""
    words, path = play.desk(panel).words, play.desk(panel).path
    back = _backwards(session, play, panel) if words else None
    found = sentences(choices, words, MOST_LINES)
    while len(found) == 1 and not found[0].final:
        words, path = found[0].words, (*path, *found[0].path)
        found = sentences(choices, words, MOST_LINES)
    lines = tuple(MenuLine(line.text, partial(choose, replace(line, path=(*path, *line.path)))) for line in found)
    return Listing((*lines, *more), path=path, back=back, about=words)


def _longer(found: Desk, mode: Mode, line: Sentence) -> Desk:
    """The desk after a tap on this line, whose path begins with its first word."""
    fresh = len(line.words) - len(found.words)
    return Desk(mode, words=line.words, path=line.path, steps=(*found.steps, fresh))


def _backwards(session: Session, play: Play, panel: str) -> Back:
    """To the list before the last tap."""
    found = play.desk(panel)
    step = found.steps[-1] if found.steps else len(found.words)
    words, path = found.words[: len(found.words) - step], found.path[: len(found.path) - step]
    mode = Mode.ACT if found.mode is Mode.CONFIRM else found.mode
    before = Desk(mode, words=words, path=path, steps=found.steps[:-1])
    return partial(desk.put, session, play, panel, before)


def _closed(session: Session, play: Play, panel: str) -> Back:
    return partial(desk.put, session, play, panel, Desk())
