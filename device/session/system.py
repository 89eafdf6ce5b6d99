"""Builds the menu behind a long press: undo, pause, correction, draw, resigning, help, language."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from device.session import consent, evening, panels, phones
from device.session.matches import LiveMatch, Result, over, shown_state, told_by_order
from device.session.messages import Append
from device.session.observing import look_again, restore_table
from device.session.sentences import LineGroup, Row, Sentence, open_groups, rows
from device.session.state import MenuState, PanelMode, Play, Proposal, ProposalKind, Session
from device.session.table import LANGUAGES, SHARED
from engine.catalogue import AnyGame
from engine.entry import Entry, Pause, Resign, Restored, Settle, Source
from engine.game import Words, per_state
from engine.match import reveals
from engine.table import Seat
from engine.text import Text, say, who

replace = msgspec.structs.replace


class MenuLine(msgspec.Struct, frozen=True):
    """One menu line and its action. action: the sentence that it completes or begins; None without one."""

    text: Text
    does: Callable[[], Result]
    action: Sentence | None = None


def entries(live: LiveMatch, seat: Seat, panel: str) -> tuple[MenuLine, ...]:
    """Return the lines of a seat's panel in its mode."""
    menu_state = live.play.menu_state(panel)
    match menu_state.mode:
        case PanelMode.MENU:
            return menu(live, seat, panel)
        case PanelMode.CORRECT:
            return _corrections(live, seat, menu_state)
        case PanelMode.DONE:
            return done_lines(live, panel)
        case PanelMode.LANGUAGE:
            return tuple(MenuLine(Text(name), partial(_speak, live, seat, code)) for code, name in LANGUAGES)
        case PanelMode.RESIGN:
            here = _resignable(live, seat, panel)
            stay = MenuLine(say("No"), partial(live.close, panel))
            return (stay, *(_resigning(live, panel, other) for other in here))
        case _:
            own = menu_state.mode is PanelMode.PHONE and menu_state.words == (seat,)
            return _by_phone(live.session, seat) if own and seat not in live.session.invited else ()


def _by_phone(session: Session, seat: Seat) -> tuple[MenuLine, ...]:
    return tuple(
        MenuLine(text, partial(phones.wish, session, seat, place)) for place, (text, _) in enumerate(phones.WISHES)
    )


def choose(live: LiveMatch, seat: Seat, menu_state: MenuState) -> Result:
    """Carry out the line under the cursor; close a menu without lines. Raises Refusal."""
    found = entries(live, seat, seat)
    if not found:
        return live.close(seat)
    return found[min(menu_state.cursor, len(found) - 1)].does()


def led_to(menu_state: MenuState, place: int, row: Row) -> MenuState:
    """Return the menu after a line: its group opened, or its words added."""
    if isinstance(row, LineGroup):
        return replace(
            menu_state,
            within=(*menu_state.within, place),
            path=(*menu_state.path, row.said),
            cursor=0,
            before=menu_state,
        )
    path = (*menu_state.path[: len(menu_state.path) - len(menu_state.within)], *row.path)
    return MenuState(menu_state.mode, words=row.words, path=path, before=menu_state)


def menu(live: LiveMatch, seat: Seat, panel: str) -> tuple[MenuLine, ...]:
    """Return a seat's choices at any time; phones omit what their page shows anyway."""
    play = live.play

    def page(text: Text, mode: PanelMode) -> MenuLine:
        return MenuLine(text, partial(live.show, panel, MenuState(mode, begun=len(play.told))))

    def proposal(text: Text, kind: ProposalKind, words: Words = ()) -> MenuLine:
        return MenuLine(text, partial(propose, live, panel, Proposal(kind, seat, words)))

    paused, goes_on, buttons = play.match.paused, not over(play), panel == seat
    # While ordered pieces wait to be turned up, these are left out: a refusal would tell that the match has ended.
    open_end = play.match.result is None and not reveals(play.match.pending)
    own = play.proposal is not None and play.proposal.by == seat
    withdrawn = MenuLine(say("Withdraw your proposal"), lambda: consent.withdraw(live.put(panel, MenuState()), seat))
    lines = (
        (play.case.disorder and not paused, right(live, seat, panel)),
        (own, withdrawn),
        (buttons, page(say("Help"), PanelMode.HELP)),
        (buttons, page(say("Moves"), PanelMode.HISTORY)),
        (buttons and evening.stands(play) is not None, page(say("Evening standings"), PanelMode.EVENING)),
        (goes_on or bool(play.match.past), proposal(say("Undo"), ProposalKind.UNDO)),
        (open_end or (paused and play.match.result is None), pausing(live, panel)),
        (may_correct(play, seat), page(say("Correct the referee"), PanelMode.CORRECT)),
        (open_end, proposal(say("Offer a draw"), ProposalKind.DRAW)),
        (open_end and bool(_resignable(live, seat, panel)), page(say("Resign"), PanelMode.RESIGN)),
        (buttons, page(say("Language"), PanelMode.LANGUAGE)),
        (goes_on, proposal(say("End without a result"), ProposalKind.LEAVE)),
        (live.table.by_phone(seat), MenuLine(say("By phone"), partial(live.show, panel, phones.asked_code(seat)))),
    )
    others = tuple(other for other in _sharing(live, seat) if other != seat) if buttons else ()
    handing = tuple(_hand_on(live, seat, other) for other in others)
    renewed = tuple(
        proposal(say("A new phone for {seat}", seat=who(other)), ProposalKind.PHONE, (other,))
        for other in phones.helpable_seats(live, seat)
    )
    return (*(line for shown, line in lines if shown), *handing, *renewed)


def pausing(live: LiveMatch, panel: str) -> MenuLine:
    paused = live.play.match.paused
    return MenuLine(
        say("Continue") if paused else say("Pause"), partial(_enter, live, panel, Pause(live.time, not paused))
    )


def right(live: LiveMatch, seat: Seat, panel: str) -> MenuLine:
    """Return the line that says all was put right."""
    return MenuLine(say("Everything is back in place"), partial(_put_right, live, seat, panel))


def _put_right(live: LiveMatch, seat: Seat, panel: str) -> Result:
    entry, proposal = Restored(live.time, seat), live.play.proposal
    live = live.put(panel, MenuState())
    if proposal is not None and proposal.kind is ProposalKind.RESTORED:
        live = live.replace(proposal=None)
    live = live.record(entry)
    told = (live.play.told[-1].text,)
    return restore_table(live.replace(alert=told), told).session, (Append((entry,)),)


def done_lines(live: LiveMatch, panel: str) -> tuple[MenuLine, ...]:
    """Return the pending order's outcomes, "not yet" last."""
    settled = Settle(live.time, Source.BUTTONS)
    as_ordered = MenuLine(say("Done"), partial(_enter, live, panel, settled))
    other = MenuLine(say("It's a different one"), partial(live.show, panel, MenuState(PanelMode.CORRECT)))
    later = MenuLine(say("Not yet"), partial(live.close, panel))
    return (as_ordered, other, later) if reveals(live.play.match.pending) else (as_ordered, later)


class Correctable(msgspec.Struct, frozen=True):
    """A state to correct. again: apply the pending order again afterwards."""

    state: Any
    again: bool


def correctable(play: Play, seat: Seat) -> Correctable:
    """Return the state to correct: before an order that turns pieces up; but after it for the seat that gave it, if
    `told_by_order`."""
    pending = play.match.pending
    own = pending is not None and pending.seat == seat and told_by_order(play.known.game, play.match)
    again = bool(reveals(pending)) and not own
    return Correctable(shown_state(play.match) if again else play.match.state, again)


def may_correct(play: Play, seat: Seat) -> bool:
    """Return True if the game has a correction to offer this seat."""
    return bool(play.known.game.corrections(correctable(play, seat).state, ()))


def _corrections(live: LiveMatch, seat: Seat, menu_state: MenuState) -> tuple[MenuLine, ...]:
    found = correctable(live.play, seat)

    def choose(place: int, row: Row) -> Result:
        if isinstance(row, LineGroup) or not row.final:
            return live.show(seat, led_to(menu_state, place, row))
        return propose(live, seat, Proposal(ProposalKind.CORRECT, seat, row.words, again=found.again))

    listed = open_groups(
        rows(partial(live.play.known.game.corrections, found.state), menu_state.words), menu_state.within
    )
    return tuple(MenuLine(row.said, partial(choose, place, row)) for place, row in enumerate(listed))


def propose(live: LiveMatch, panel: str, proposal: Proposal) -> Result:
    """Close the panel and ask the other seats; carry the proposal out if all agree already. Raises Refusal."""
    return consent.propose(live.put(panel, MenuState()), proposal)


def _resignable(live: LiveMatch, seat: Seat, panel: str) -> tuple[Seat, ...]:
    """Return the seats that can resign at this panel."""
    match, game = live.play.match, live.play.known.game
    here = _sharing(live, seat) if panel == seat else (seat,)
    return tuple(other for other in here if _may_resign(match.state, game, other))


@per_state
def _may_resign(state: Any, game: AnyGame, seat: Seat) -> bool:
    """Return False for a seat that has left a match of others: its resignation would change nothing."""
    return seat in game.actors(state) or game.resign(state, seat)[0] != state


def _resigning(live: LiveMatch, panel: str, other: Seat) -> MenuLine:
    return MenuLine(say("{seat} resigns", seat=who(other)), partial(_enter, live, panel, Resign(live.time, other)))


def _enter(live: LiveMatch, panel: str, entry: Entry) -> Result:
    session, effects = look_again(live.put(panel, MenuState()).record(entry))
    return session, (Append((entry,)), *effects)


def _hand_on(live: LiveMatch, seat: Seat, other: Seat) -> MenuLine:
    passed = panels.passed_to(live, other)
    handed = passed.replace(shared=replace(passed.play.shared, sticky=True))
    return MenuLine(say("Pass to {seat}", seat=who(other)), partial(handed.close, seat))


def _speak(live: LiveMatch, seat: Seat, code: str) -> Result:
    languages = {**live.session.languages, live.table.display_of(seat): code}
    return replace(live.put(seat, MenuState()).session, languages=languages), ()


def _sharing(live: LiveMatch, seat: Seat) -> tuple[Seat, ...]:
    return panels.sharing(live) if live.table.display_of(seat) == SHARED else (seat,)
