"""Lists a seat's choices on its page and carries out taps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import msgspec

from device.session import aim, consent, ending, menu_state, setup, system
from device.session.aim import TapList, TapLists
from device.session.alerts import clear_alert
from device.session.match_start import check_page
from device.session.matches import LiveMatch, Result, over
from device.session.messages import Tap
from device.session.offers import proposal_signature
from device.session.sentences import LONG, Choices, Sentence, action_text, sentences
from device.session.state import MenuState, PanelMode, Play, Proposal, ProposalKind, Session, Setup, SetupPage, page_of
from device.session.system import MenuLine
from device.session.table import Table
from device.session.touches import Moves, able_choices, moves_after, touch_moves
from engine.game import Words
from engine.table import Seat
from engine.text import Text, say

replace = msgspec.structs.replace
MOST_LINES = 24
"""Lines of a page's list, unless the next words are more."""

BACK, REGRET, NOWHERE = -1, -2, -3
"""Places beside the list: one step back, undoing the last action, and none."""

CHANGED = say("The list changed. Please choose again.")
"""Answers a tap on an older list."""

Back: TypeAlias = "Callable[[], Result]"


class Listing(msgspec.Struct, frozen=True):
    """A list on a page.

    back: one step back.
    about: subject of the lines, to tell lists apart.
    urgent: must be read.
    moves: complete actions behind the lines, for the board; a tap numbers them after the lines.
    move: does one of them by its number.
    regret: undoes the seat's last action, while it may.
    """

    lines: tuple[MenuLine, ...] = ()
    asks: Text | None = None
    path: tuple[Text, ...] = ()
    back: Back | None = None
    about: tuple[object, ...] = ()
    urgent: bool = False
    moves: Moves = Moves()
    move: Callable[[int], Result] | None = None
    regret: Back | None = None

    @property
    def texts(self) -> tuple[Text, ...]:
        return tuple(line.text for line in self.lines)

    @property
    def offers(self) -> tuple[object, ...]:
        """All that decides what a tap means, to compare lists."""
        return self.about, self.asks, self.path, self.texts, self.moves.found, self.back is not None

    def at(self, place: int) -> Callable[[], Result] | None:
        """Return the action of a line, a move after the lines, `BACK` or `REGRET`; None without one."""
        if place < 0:
            return {BACK: self.back, REGRET: self.regret}.get(place)
        if 0 <= place < len(self.lines):
            return self.lines[place].does
        beyond = place - len(self.lines)
        return partial(self.move, beyond) if self.move and 0 <= beyond < len(self.moves.found) else None


def answers(table: Table, session: Session, seat: Seat) -> Listing:
    """Return the lines that a seat can tap."""
    stage = session.stage
    if isinstance(stage, Setup):
        return _set_up(table, session, stage)
    live = LiveMatch(table, session)
    if seat not in stage.match.start.seats:
        return _after_match(live, None) if over(stage) else Listing()
    may = consent.may_regret(live, seat)
    return replace(_played_list(live, seat), regret=partial(consent.regret, live, seat) if may else None)


def menu(table: Table, session: Session, seat: Seat) -> Listing:
    """Return a seat's permanent menu in a match; else an empty list."""
    stage = session.stage
    if isinstance(stage, Setup) or seat not in stage.match.start.seats:
        return Listing()
    return Listing(system.menu(LiveMatch(table, session), seat, page_of(seat)))


def relist(table: Table, session: Session, tap: Tap | None) -> Session:
    """Update the pages' lists after a step. tap: the step's input, if a tap."""
    lists = dict(session.lists)
    done = tap is not None and tap.menu and not _is_refused(session, tap.seat)
    for seat in session.phones:
        before = lists.get(seat, TapLists())
        asked = answers(table, session, seat)
        own = tap is not None and tap.seat == seat and tap.serial in (before.answers.serial, before.menu.serial)
        lists[seat] = TapLists(
            aim.list_lines(before.answers, asked.offers, session.now, known=own and not asked.urgent),
            aim.list_lines(before.menu, menu(table, session, seat).offers, session.now, known=own, done=own and done),
        )
    return replace(session, lists=lists)


def _is_refused(session: Session, seat: Seat) -> bool:
    return isinstance(session.stage, Play) and session.stage.menu_state(page_of(seat)).alert is not None


def is_meant(session: Session, tap: Tap) -> bool:
    """Return True if a tap means its page's current list, readable by then."""
    return aim.is_aimed(_list_of(session, tap), tap.serial, tap.at, tap.shown)


def has_changed(table: Table, session: Session, tap: Tap) -> bool:
    """Return True if this step has already changed the tapped list."""
    return _listing(table, session, tap).offers != _list_of(session, tap).offers


def hits(table: Table, session: Session, tap: Tap) -> bool:
    return _listing(table, session, tap).at(tap.line) is not None


def tap_line(table: Table, session: Session, tap: Tap) -> Result:
    """Carry out a tap; on a missing line do nothing more. Raises Refusal, for its seat alone."""
    if isinstance(session.stage, Play):
        live, panel = LiveMatch(table, session), page_of(tap.seat)
        live = live if live.play.asks(tap.seat) else clear_alert(live)  # only who reads an alert takes it away
        session = live.put(panel, replace(live.play.menu_state(panel), alert=None, plain=False)).session
    does = _listing(table, session, tap).at(tap.line)
    return (session, ()) if does is None else does()


def _listing(table: Table, session: Session, tap: Tap) -> Listing:
    return menu(table, session, tap.seat) if tap.menu else answers(table, session, tap.seat)


def _list_of(session: Session, tap: Tap) -> TapList:
    lists = session.lists.get(tap.seat, TapLists())
    return lists.menu if tap.menu else lists.answers


# --- before and after a match


def _set_up(table: Table, session: Session, stage: Setup) -> Listing:
    cares, checks = (
        stage.page is SetupPage.CARE,
        stage.page is SetupPage.CHECK,
    )  # care is for whoever stands at the table
    lines = tuple(
        MenuLine(item.text, partial(setup.choose, table, session, stage, place))
        for place, item in enumerate(setup.items(table, session, stage))
        if not cares and (item.then is None or item.then.page is not SetupPage.CARE)
    )
    wrong = check_page(table, session, stage).faults if checks else ()
    leaves = not cares and (stage.trail or stage.page is not SetupPage.LANGUAGE)
    back = partial(setup.back, session, stage) if leaves else None
    about = (stage.page, stage.game, stage.option, stage.card, stage.number, stage.phone, wrong)
    spoken = say("Which language does the table speak?") if stage.page is SetupPage.LANGUAGE else None
    return Listing(lines, spoken or setup.help_text(stage, table), back=back, about=about, urgent=checks)


def _after_match(live: LiveMatch, seat: Seat | None) -> Listing:
    return Listing(ending.lines(live, seat, page=True), about=("ended",), urgent=True)


# --- during a match


def _played_list(live: LiveMatch, seat: Seat) -> Listing:
    panel = page_of(seat)
    if live.play.asks(seat):
        return _question_lines(live, seat)
    match live.play.menu_state(panel).mode:
        case PanelMode.CORRECT:
            return _correcting(live, seat)
        case PanelMode.RESIGN | PanelMode.PHONE as mode:
            called = say("Resign") if mode is PanelMode.RESIGN else say("By phone")
            return Listing(system.entries(live, seat, panel), path=(called,), back=partial(live.close, panel))
        case PanelMode.CONFIRM:
            return _confirming(live, seat)
        case _ if over(live.play):
            return _after_match(live, seat)
        case _:
            return _free(live, seat)


def _question_lines(live: LiveMatch, seat: Seat) -> Listing:
    play, proposal = live.play, live.play.proposal
    lines = tuple(
        MenuLine(text, partial(menu_state.take_answer, live, seat, page_of(seat), place))
        for place, text in enumerate(menu_state.question_of(play, seat))
    )
    if play.case.question is not None or proposal is None:
        return Listing(lines, say("What happened?"), about=("question",), urgent=True)
    return Listing(lines, consent.text(play, proposal), about=proposal_signature(proposal), urgent=True)


def _free(live: LiveMatch, seat: Seat) -> Listing:
    play, panel, pending = live.play, page_of(seat), live.play.match.pending
    if play.match.paused:
        return Listing((system.pausing(live, panel),), urgent=True)
    right = (system.right(live, seat, panel),) if play.case.still_wrong else ()
    if pending is not None:
        lines = system.done_lines(live, panel)[:-1]  # a page need not say that nothing was done
        return Listing((*lines, *right), about=pending.words, urgent=True)
    if seat not in play.known.game.actors(play.match.state):
        going_on = (MenuLine(say("Continue"), lambda: (live.session, ())),) if play.resting else ()
        return Listing((*going_on, *right))
    return _acting(live, seat, right)


def _acting(live: LiveMatch, seat: Seat, more: tuple[MenuLine, ...]) -> Listing:
    play, panel = live.play, page_of(seat)

    def choose(line: Sentence) -> Result:
        if line.final and not line.costs:
            return menu_state.finish_action(live, seat, panel, line.words)
        mode = PanelMode.CONFIRM if line.final else PanelMode.ACT
        return live.show(panel, _longer(play.menu_state(panel), mode, line))

    def move(number: int) -> Result:
        touched = touch_moves(play, seat, moves).moves[number][-1]
        line = moves.found[number]
        return choose(replace(line, costs=line.costs and not touched))  # a thing and its button are two taps

    able, found = _able(live, seat), play.menu_state(panel)
    state, rules = play.match.state, play.known.game
    moves = moves_after(state, rules, seat, able, found.words, found.path)
    listing = _open_list(live, panel, partial(able_choices, state, rules, seat, able), choose, more)
    return replace(listing, moves=moves, move=move)


def _able(live: LiveMatch, seat: Seat) -> frozenset[Words] | None:
    if not live.table.simulated or live.play.known.spec.dealer is None:
        return None
    told = live.session.able.get(seat)
    if told is None or told.state != live.play.match.state:
        return frozenset()
    if told.words is None:
        return None
    return frozenset(words[:count] for words in told.words for count in range(1, len(words) + 1))


def _correcting(live: LiveMatch, seat: Seat) -> Listing:
    play, panel = live.play, page_of(seat)
    found = system.correctable(play, seat)

    def choose(line: Sentence) -> Result:
        if line.final:
            return system.propose(live, panel, Proposal(ProposalKind.CORRECT, seat, line.words, again=found.again))
        return live.show(panel, _longer(play.menu_state(panel), PanelMode.CORRECT, line))

    listing = _open_list(live, panel, partial(play.known.game.corrections, found.state), choose, ())
    path = (say("Correct the referee"), *listing.path)
    lines = tuple(replace(line, action=None) for line in listing.lines)  # it moves nothing on the board
    return replace(listing, lines=lines, path=path, back=listing.back or partial(live.close, panel))


def _confirming(live: LiveMatch, seat: Seat) -> Listing:
    play, panel = live.play, page_of(seat)
    words, back = play.menu_state(panel).words, _backwards(live, panel)
    yes = MenuLine(say("Yes"), partial(menu_state.finish_action, live, seat, panel, words))
    asks = say("Sure? {action}", action=action_text(play.known, play.match.state, seat, words))
    return Listing((yes, MenuLine(say("No"), back)), asks, back=back, about=words, urgent=True)


def _open_list(
    live: LiveMatch,
    panel: str,
    choices: Choices,
    choose: Callable[[Sentence], Result],
    more: tuple[MenuLine, ...],
) -> Listing:
    words, path = live.play.menu_state(panel).words, live.play.menu_state(panel).path
    back = _backwards(live, panel) if words else None
    found = sentences(choices, words, MOST_LINES, LONG)
    while len(found) == 1 and not found[0].final:
        words, path = found[0].words, (*path, *found[0].path)
        found = sentences(choices, words, MOST_LINES, LONG)
    lines = tuple(MenuLine(line.text, partial(choose, replace(line, path=(*path, *line.path))), line) for line in found)
    return Listing((*lines, *more), path=path, back=back, about=words)


def _longer(found: MenuState, mode: PanelMode, line: Sentence) -> MenuState:
    fresh = len(line.words) - len(found.words)
    return MenuState(mode, words=line.words, path=line.path, steps=(*found.steps, fresh))


def _backwards(live: LiveMatch, panel: str) -> Back:
    found = live.play.menu_state(panel)
    step = found.steps[-1] if found.steps else len(found.words)
    words, path = found.words[: len(found.words) - step], found.path[: len(found.path) - step]
    mode = PanelMode.ACT if found.mode is PanelMode.CONFIRM else found.mode
    return partial(live.show, panel, MenuState(mode, words=words, path=path, steps=found.steps[:-1]))
