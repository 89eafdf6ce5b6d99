"""Begins a match after the questions and the table check, or resumes one that was interrupted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from device.session import names, panels
from device.session import pending as matters
from device.session.alerts import raise_alert
from device.session.check import LOOKING, begin_look, faults, is_awaited, unseen
from device.session.evening import following, rules
from device.session.matches import LiveMatch, Result, begin_match, over, record
from device.session.messages import Append, Effect, Leave, Look
from device.session.seating import sides_of
from device.session.state import CARD_PAGES, People, Person, Play, Session, Setup, SetupPage
from device.session.table import LANGUAGES, KnownGame, Table
from engine.arbiter import AWAY, Case, hides
from engine.catalogue import TableSetup as GameTable
from engine.entry import Entry, Start
from engine.errors import Invalid, Refusal
from engine.game import OptionValue
from engine.options import complete
from engine.table import SEATS, Health
from engine.text import Text, many, say
from vision.messages import Rebase
from vision.messages import VisionSetup as LookAt

replace = msgspec.structs.replace
UNFIT = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a match may raise that other rules, or another version of them, wrote. Refusals are among them."""

OTHER_VERSION = say("Its record does not fit this version.")


class CheckPage(msgspec.Struct, frozen=True):
    """The last page before a match: what lies wrong, what may be answered, what vision is told to look at; and what is
    still to be done if nothing is wrong. waits: what the camera does before it can say what lies wrong."""

    faults: tuple[Text, ...]
    answers: tuple[Text, ...]
    looks: tuple[Look, ...]
    left: tuple[Text, ...] = ()
    waits: Text | None = None


def check_page(table: Table, session: Session, setup: Setup) -> CheckPage:
    """Raises Invalid if the rules do not go together."""
    known = table.games[setup.game]
    play = begin_match(known, start_of(known, setup, session.seed), None)
    looks = look_at(table, known, play.match.start)
    if not looks:
        return CheckPage((), (say("Start"),), ())
    layout = known.game.layout(play.match.state)
    blind = unseen(table, session, _lay_out(known, play.match.start).mat)
    if is_awaited(session):
        anyway = () if table.simulated else (say("Start anyway"),)
        return CheckPage((), anyway, looks, waits=blind or LOOKING)
    wrong = (blind,) if blind is not None else faults(layout, session.seen) if session.seen is not None else ()
    if wrong:
        return CheckPage(wrong, (say("Start anyway"),), looks)
    # From the start on, every card that leaves a pile is taken for a draw.
    left = () if known.spec.dealer is None or table.simulated else (say("Deal the cards first."),)
    return CheckPage((), (say("Start"),), looks, left)


def enter_check(table: Table, session: Session, setup: Setup) -> tuple[Session, tuple[Effect, ...]]:
    """Go to the last page if the answers go together; otherwise back to the rules, saying why."""
    try:
        page = check_page(table, session, setup)
    except Refusal as refusal:
        return replace(session, stage=replace(setup, page=SetupPage.OPTIONS, cursor=0, alert=refusal.text)), ()
    return replace(begin_look(session), stage=replace(setup, cursor=0)), page.looks


def objection(table: Table, session: Session, setup: Setup) -> Text | None:
    """Return why the chosen rules do not go together; None if they do."""
    known = table.games[setup.game]
    try:
        look_at(table, known, begin_match(known, start_of(known, setup, session.seed), None).match.start)
    except Refusal as refusal:
        return refusal.text
    return None


def start_of(known: KnownGame, setup: Setup, seed: int, lots: int = 0) -> Start:
    """The first entry of the match that was set up. lots: of an evening that begins with it. They are no match's seed:
    every match of the evening holds them, and each of those may be revealed without the others."""
    options, clock = {**setup.options, **rules(known.spec, setup.evening)}, dict(setup.clock)
    start = Start(0.0, setup.game, options, setup.seats, seed, clock, deck=known.corrections, data=known.data)
    evening = setup.evening
    if evening is None:
        return start
    return replace(start, evening=evening if evening.played else replace(evening, lots=lots))


def fitting(known: KnownGame, options: Mapping[str, OptionValue], seats: int) -> dict[str, OptionValue]:
    """The options, or with the first other one that lets so many play: a game alone may need an opponent.

    Raises Invalid if one change is not enough.
    """
    changes = [{option.name: value} for option in known.spec.options for value in option.values]
    fault = None
    for change in ({}, *(each for each in changes if not each.keys() & options.keys())):
        try:
            known.game.setup(complete(known.spec.options, {**options, **change}), SEATS[:seats], 0)
        except Refusal as refusal:
            fault = fault or refusal
            continue
        return {**options, **change}
    raise Invalid(say("{game} cannot be played by {count}.", game=known.spec.title, count=seats)) from fault


def open_match(table: Table, session: Session, setup: Setup) -> tuple[Session, tuple[Effect, ...]]:
    """The match begins. Who starts anyway says that the table is right; what is not is named at the next look."""
    known = table.games[setup.game]
    start = start_of(known, setup, session.seed, session.lots)
    play = replace(begin_match(known, start, session.now), people=names.players_now(setup))
    looks = look_at(table, known, start)
    layout = known.game.layout(play.match.state)
    case = Case(seen=session.seen)
    play = replace(play, case=case.agree(layout) if looks and session.health is Health.OK else case)
    session = names.remember_players(replace(session, seen=None), play.people)
    live = LiveMatch(table, replace(session, stage=play))
    if session.unsaved is not None:
        live = raise_alert(live, (session.unsaved,), (session.unsaved,))
    return live.session, (Append((start,)),)


def look_at(table: Table, known: KnownGame, start: Start) -> tuple[Look, ...]:
    """Return what the camera is to look at in this match; () if it needs none or there is none."""
    laid = _lay_out(known, start)
    mat = table.mats.get(laid.mat or "")
    if not table.camera or mat is None:
        return ()
    sets = {zone.name: zone.set for zone in mat.zones if zone.name in laid.zones}
    sides = sides_of(table, mat, start.seats)
    return (Look(LookAt(mat.name, laid.zones, sets, sides)), Look(Rebase()))


def _lay_out(known: KnownGame, start: Start) -> GameTable:
    laid = known.spec.table(start.options, len(start.seats))
    if laid is None:
        raise Invalid(
            many(
                "Nobody can play by these rules alone.",
                "These rules cannot be played by {count} players.",
                len(start.seats),
            )
        )
    return laid


def look_at_stage(table: Table, session: Session) -> tuple[Look, ...]:
    """Return what a vision worker that has just started is told."""
    stage = session.stage
    if isinstance(stage, Play):
        return look_at(table, table.games[stage.match.start.game], stage.match.start)
    if stage.page in CARD_PAGES:
        known = table.games[stage.game]
        return look_at(table, known, start_of(known, stage, session.seed))
    return check_page(table, session, stage).looks if stage.page is SetupPage.CHECK else ()


def again(live: LiveMatch, *, moved: bool = False) -> Result:
    """The same rules, seats and clock once more, or the evening's next match: the table is checked anew.

    moved: everybody goes one seat on. Until the next match of an evening begins, the journal keeps the one before it as
    the current one, so that power-off leads back to its end.
    """
    setup = following(live.play, moved=moved)
    setup = replace(setup, people=names.carry_people(live.play, setup))
    goes_on = setup.evening is not None and setup.evening.played
    setup = replace(setup, page=SetupPage.CHECK, trail=(replace(setup, page=SetupPage.OPTIONS),))
    session, looks = enter_check(live.table, live.session, setup)
    return session, looks if goes_on else (Leave(), *looks)


def power_on(
    table: Table,
    entries: Sequence[Entry],
    *,
    seed: int,
    lots: int,
    now: float,
    language: str | None = None,
    remembered: tuple[Person, ...] = (),
    people: People | None = None,
    told: tuple[Text, ...] = (),
    unsaved: Text | None = None,
    last: Setup | None = None,
    pending: str | None = None,
) -> tuple[Session, tuple[Effect, ...]]:
    """A session at power-on: with the match that was interrupted, if there is one, otherwise with the first question.

    After a restart the clocks stand still until somebody presses or acts. told: what was found wrong; it stands until
    somebody presses. unsaved: why nothing is kept. remembered: names, those that played last first; people: who plays
    the match. last: the page that offers what was played last, in place of the first question. pending: what was open
    in the match, as `pending.kept` says. Raises Refusal if the entries do not make a match of the games known, with a
    sentence that everybody may read.
    """
    spoken = language or table.language
    codes = [code for code, _ in LANGUAGES]
    wrong = (*told, *((unsaved,) if unsaved else ()))
    setup = Setup(cursor=codes.index(spoken) if spoken in codes else 0)
    setup = replace(last or setup, alert=join_texts(wrong))
    session = Session(setup, now, seed, spoken, lots, people=remembered, unsaved=unsaved)
    if not entries:
        return session, ()
    play = replace(_resume_match(table, entries), people=people or {})
    live = _report_unwatched(LiveMatch(table, replace(session, stage=play)))
    live = live.with_play(matters.recall(live.play, pending))
    alert = tuple(dict.fromkeys((*wrong, *live.play.alert)))
    live = raise_alert(live, alert, wrong).replace(expires=None) if wrong else live
    live = panels.hand_over(live, session, pressed=False) if table.shared else live
    return live.session, look_at(table, play.known, play.match.start)


def _report_unwatched(live: LiveMatch) -> LiveMatch:
    """Tells everybody that no camera watched while the match was interrupted; nothing if nothing is hidden there."""
    play = live.play
    hidden = not over(play) and live.watched and hides(play.known.game.layout(play.match.state))
    return live.announce(AWAY) if hidden else live


def join_texts(texts: Sequence[Text]) -> Text | None:
    """Sentences as one; None if there are none."""
    together = texts[0] if texts else None
    for text in texts[1:]:
        together = Text("{a} {b}", (("a", together or text), ("b", text)))
    return together


def _resume_match(table: Table, entries: Sequence[Entry]) -> Play:
    """Resume a match. A refused entry may be meant for one seat alone, so nothing is told of it (law 5)."""
    start = entries[0]
    if not isinstance(start, Start):
        raise Invalid(say("A match begins with a start entry."))
    if start.game not in table.games:
        raise Invalid(say("The game {game} is not known here.", game=start.game))
    if not set(start.seats) <= set(table.seats):
        raise Invalid(say("This match needs seats that this table doesn't have."))
    try:
        play = begin_match(table.games[start.game], start, None)
    except Refusal:
        raise
    except UNFIT:
        raise Invalid(OTHER_VERSION) from None
    try:
        return record(play, entries[1:])
    except UNFIT:
        raise Invalid(OTHER_VERSION) from None
