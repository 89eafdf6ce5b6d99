"""What each audience is asked or told now, in one line."""

from __future__ import annotations

from engine.fence.names import side_name
from engine.fence.phrase.state import Phrase, Role
from engine.fence.sentences import won
from engine.fence.state import Clearing, Dealing, Offering, Over, Proposed, State, Tossing, Turn, asked, side_of
from engine.fence.turn import ACTIONS
from engine.table import Seat
from engine.text import Text, say


def prompt(state: State, seat: Seat | None) -> Text:
    """A question to those who may act, and to the others whose answer is waited for."""
    if isinstance(state.phase, Over):
        return won(state, state.phase)
    if seat is not None and side_of(state, seat) in asked(state):
        return _question(state)
    return _waiting(state)


def _question(state: State) -> Text:  # noqa: PLR0911 -- one line a phase
    match state.phase:
        case Dealing():
            return say("Keep your hand, or demand a new one once.")
        case Turn(done):
            if state.still >= state.offered and not state.passivity:
                return say("The bout stands still: propose the passivity rule?")
            return say("Your turn. Game actions left: {count}.", count=max(0, ACTIONS - len(done)))
        case Offering():
            return say("Give up one card and draw, or keep all.")
        case Proposed():
            return say("Shall still turns cost a timer card?")
        case Tossing():
            return say("Toss a coin: for whom did it fall?")
        case Phrase() as phrase:
            return _phrase(phrase)
        case _:
            return clearing(state)


def _phrase(phrase: Phrase) -> Text:
    incoming = phrase.incoming
    if incoming is None:
        return say("The attack was stopped: follow it up, or let it be.")
    if incoming.role is Role.COUNTER_TIME or incoming.speed is None:
        return say("Answer the Counter-Time.")
    speed = incoming.speed.total
    match incoming.role:
        case Role.RIPOSTE | Role.CLOSE_RIPOSTE:
            return say("Answer the riposte of speed {speed}.", speed=speed)
        case Role.COUNTER:
            return say("Answer the counter-attack of speed {speed}.", speed=speed)
        case _:
            return say("Answer the attack of speed {speed}.", speed=speed)


def clearing(state: State) -> Text:  # noqa: PLR0911 -- one line a reason
    """What must be put in order."""
    phase = state.phase
    if not isinstance(phase, Clearing):
        return say("Go on.")
    match phase.reason:
        case "period":
            period = state.period + 1
            return say("Time: shuffle all cards outside the hands, on guard for period {period}.", period=period)
        case "overtime":
            return say("Level: shuffle the discards anew for overtime; on guard.")
        case "retreat":
            return say("Off the strip: exchange a card or not, then on guard.")
        case "out":
            return say("Off the strip: back on guard.")
        case _ if phase.void:
            return say("Double touch, void: put the cards away.")
        case _ if any(phase.touches):
            return say("Touch: put the cards away, back on guard.")
        case _:
            return say("No touch: put the cards away.")


def _waiting(state: State) -> Text:
    who = side_name(asked(state)[0])
    match state.phase:
        case Dealing():
            return say("Hands are being taken.")
        case Phrase():
            return say("{side} answers.", side=who)
        case Proposed():
            return say("{side} answers the proposal.", side=who)
        case Tossing():
            return say("A coin is tossed.")
        case Clearing():
            return clearing(state)
        case _:
            return say("{side} has the turn.", side=who)
