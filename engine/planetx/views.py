"""Each audience's view as data and panels (law 5), and the reference card."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from engine.game import Options
from engine.planetx.ending import LOCATE_COST, Over, tallies
from engine.planetx.facts import Fact, answer_text, sentence, title
from engine.planetx.knowledge import consistent, fitting, knowledge
from engine.planetx.match import Note, PlayerState, State, player_of
from engine.planetx.opening import Typing, starting_facts
from engine.planetx.questions import RESEARCH_COST, TARGET_COST, TARGETS, announcement, survey_cost, topic_text
from engine.planetx.sky import MODES, NAMES, SkyMode
from engine.planetx.theories import Pledging
from engine.planetx.track import conference, conference_text, in_order, sector_at, visible
from engine.table import Seat
from engine.text import Text, list_texts, say, who
from engine.view import Json, Line, Panel, Ring, Score, View

SEASON_NAMES = {
    "spring": say("spring"),
    "summer": say("summer"),
    "autumn": say("autumn"),
    "winter": say("winter"),
}

_RECENT = 2

_REVIEWED = 3
"""Results of reviews on a display, newest first."""

_REMEMBERED = 24
"""Past actions in a view; the journal holds all."""


def view(state: State, seat: Seat | None) -> View:
    facts = _public(state)
    if seat is None or all(player.seat != seat for player in state.players):
        return View(facts, _table_panels(state), _prompt(state, None))
    player = player_of(state, seat)
    return View(facts | {"own": _own(state, player)}, _seat_panels(state, player), _prompt(state, seat))


def _prompt(state: State, seat: Seat | None) -> Text:
    waiting = sorted(state.phase.actors(state))
    if seat in waiting:
        return state.phase.question(state)
    return state.phase.waiting(state, list_texts(map(who, waiting)))


def _public(state: State) -> dict[str, Json]:
    over, typing = isinstance(state.phase, Over), isinstance(state.phase, Typing)
    data: dict[str, Json] = {
        "mode": state.rules.mode,
        "code": state.game.code if over or (state.rules.typed and not typing) else None,
        "phase": str(state.phase.__struct_config__.tag),
        "waiting_for": tuple(sorted(state.phase.actors(state))),
        "arrow": sector_at(state, state.arrow),
        "visible": visible(state),
        "pawns": tuple(_pawn(state, player) for player in in_order(state)),
        "topics": tuple({"id": fact.id, "title": str(title(fact))} for fact in state.game.topics if not typing),
        "conferences": tuple(_fact(conference(state, name)) for name in state.conferences),
        "reviews": tuple(_fact(fact) for fact in state.reviews),
        "settled": dict(state.settled),
        "theories": tuple(_theory(state, k, None) for k in range(len(state.theories))),
        "actions": tuple(str(announcement(state, deed)) for deed in state.deeds[-_REMEMBERED:]),
        "finder": state.finder,
    }
    if over:
        data["board"] = state.game.board
    if over and (score := tallies(state)):
        data["score"] = {t.seat: _points(t.theories, t.firsts, t.planet) for t in score}
    return data


def _points(theories: int, firsts: int, planet: int) -> dict[str, Json]:
    return {"theories": theories, "firsts": firsts, "planet": planet, "total": theories + firsts + planet}


def _pawn(state: State, player: PlayerState) -> dict[str, Json]:
    return {
        "seat": player.seat,
        "season": player.season,
        "sector": sector_at(state, player.time),
        "time": player.time,
        "targets": player.targets,
        "tokens": sum(player.tokens.values()),
    }


def _theory(state: State, number: int, seat: Seat | None) -> dict[str, Json]:
    theory = state.theories[number]
    face = theory.kind if theory.shown or theory.owner == seat else None
    return {"owner": theory.owner, "sector": theory.sector, "age": theory.age, "kind": face}


def _fact(fact: Fact) -> dict[str, Json]:
    text = answer_text(fact) if fact.form in ("survey", "target", "located", "not_located") else sentence(fact)
    return {
        "id": fact.id,
        "form": fact.form,
        "p": fact.p,
        "q": fact.q,
        "n": fact.n,
        "sector": fact.sector,
        "last": fact.last,
        "text": str(text),
    }


def _own(state: State, player: PlayerState) -> dict[str, Json]:
    own: dict[str, Json] = {
        "season": player.season,
        "level": player.level,
        "starting_facts": tuple(_fact(fact) for fact in starting_facts(state, player)),
        "answers": tuple({"time": answer.time, **_fact(answer.fact)} for answer in player.answers),
        "tokens": dict(player.tokens),
        "theories": tuple(
            _theory(state, k, player.seat) for k, t in enumerate(state.theories) if t.owner == player.seat
        ),
        "announced": state.phase.pledges.get(player.seat) if isinstance(state.phase, Pledging) else None,
        "located": player.located,
    }
    if state.rules.marks:
        own["marks"] = tuple({"sector": n.sector, "kind": n.kind, "holds": n.holds} for n in player.notes)
    if state.rules.possible:
        own["possible"] = len(fitting(state.rules.mode, knowledge(state, player.seat)))
    if state.rules.consistency:
        own["consistent"] = consistent(state, player)
    return own


def _table_panels(state: State) -> tuple[Panel, ...]:
    if isinstance(state.phase, Over):
        return _reveal_panels(state)
    held = tuple(Line(conference_text(state, name)) for name in state.conferences)
    recent = tuple(Line(announcement(state, deed)) for deed in state.deeds[: -_RECENT - 1 : -1])
    return (_ring(state, None), *_reviews(state), *recent, *held, *_titles(state))


def _reviews(state: State) -> tuple[Line, ...]:
    return tuple(Line(say("Review: {fact}", fact=sentence(fact))) for fact in state.reviews[: -_REVIEWED - 1 : -1])


def _of_opponent(state: State) -> tuple[Line, ...]:
    """Return the automatic opponent's last actions, which only this display can show."""
    deeds = [deed for deed in state.deeds if deed.seat == state.rules.opponent]
    return tuple(Line(announcement(state, deed)) for deed in deeds[: -_RECENT - 1 : -1])


def _seat_panels(state: State, player: PlayerState) -> tuple[Panel, ...]:
    if isinstance(state.phase, Over):
        return _reveal_panels(state)
    answers = tuple(Line(answer_text(answer.fact), strong=k == 0) for k, answer in enumerate(player.answers[::-1]))
    held = tuple(Line(conference_text(state, name)) for name in state.conferences)
    notes = tuple(Line(_note(note)) for note in player.notes)
    season = Line(say("Season: {season}", season=SEASON_NAMES[player.season]))
    return (
        *answers[:1],
        _ring(state, player),
        *_reviews(state),
        *_of_opponent(state),
        *_aids(state, player),
        *answers[1 : _RECENT + 1],
        *held,
        *notes,
        season,
        *_starting_lines(starting_facts(state, player)),
    )


def _starting_lines(facts: tuple[Fact, ...]) -> tuple[Line, ...]:
    kinds = dict.fromkeys(fact.p or "" for fact in facts)
    sectors = {kind: sorted(fact.sector or 0 for fact in facts if fact.p == kind) for kind in kinds}
    return tuple(
        Line(say("Not {object}: {sectors}.", object=NAMES[kind], sectors=list_texts(map(str, found))))
        for kind, found in sectors.items()
    )


def _titles(state: State) -> tuple[Line, ...]:
    if isinstance(state.phase, Typing):
        return ()
    return tuple(Line(say("Research {topic}", topic=topic_text(fact))) for fact in state.game.topics)


def _note(note: Note) -> Text:
    if note.holds:
        return say("Mark: sector {sector} is: {object}", sector=note.sector, object=NAMES[note.kind])
    return say("Mark: sector {sector} is not: {object}", sector=note.sector, object=NAMES[note.kind])


def _aids(state: State, player: PlayerState) -> tuple[Line, ...]:
    lines = []
    if state.rules.possible:
        count = len(fitting(state.rules.mode, knowledge(state, player.seat)))
        lines.append(Line(say("Possible skies: {count}", count=count)))
    if state.rules.consistency and player.notes and not consistent(state, player):
        lines.append(Line(say("Your marks contradict what you were told."), strong=True))
    return tuple(lines)


def _ring(state: State, player: PlayerState | None) -> Ring:
    over = isinstance(state.phase, Over)
    cells = list(state.game.board) if over else [""] * state.mode.sectors
    for theory in state.theories:
        own = player is not None and theory.owner == player.seat
        if not over:
            cells[theory.sector - 1] = theory.kind.lower() if own else cells[theory.sector - 1] or "?"
    for sector, kind in state.settled.items():
        cells[int(sector) - 1] = kind
    return state.rules.play.ring(state, tuple(cells), tuple(_cell_text(cell) for cell in cells))


def _cell_text(cell: str) -> Text:
    if cell == "?":
        return say("a hidden theory")
    if cell.islower():
        return say("your theory: {object}", object=NAMES[cell.upper()])
    return NAMES.get(cell, Text(""))


def _reveal_panels(state: State) -> tuple[Panel, ...]:
    points = tuple((who(tally.seat), tally.total) for tally in tallies(state))
    score = (Score(say("Points"), points),) if points else ()
    return (*score, _ring(state, None))


# --- the reference card, shown as help screens


def reference(options: Options) -> tuple[tuple[Text, ...], ...]:
    mode = MODES[str(options["mode"])]
    return (_sky(mode), _neighbours(mode), _actions(mode), _phases(), _score(mode))


def _sky(mode: SkyMode) -> tuple[Text, ...]:
    return (
        say("The sky"),
        say("Asteroids: {count}", count=mode.count("A")),
        say("Comets: {count}", count=mode.count("C")),
        say("Dwarf planets: {count}", count=mode.count("D")),
        say("Gas clouds: {count}", count=mode.count("G")),
        say("Truly empty: {count}", count=mode.count("E")),
        say("Comets only in {sectors}", sectors=list_texts(map(str, mode.comet_sectors))),
    )


def _neighbours(mode: SkyMode) -> tuple[Text, ...]:
    band = () if mode.dwarf_band is None else (say("Dwarf planets span exactly {n} sectors", n=mode.dwarf_band),)
    return (
        say("Neighbours"),
        say("An asteroid touches an asteroid"),
        say("A gas cloud touches a truly empty sector"),
        say("Planet X touches no dwarf planet"),
        say("Planet X shows as empty"),
        *band,
    )


def _actions(mode: SkyMode) -> tuple[Text, ...]:
    return (
        say("Actions and their time"),
        *_survey_costs(mode),
        say("Target, {limit} times a game: {cost}", limit=TARGETS, cost=TARGET_COST),
        say("Research, never twice running: {cost}", cost=RESEARCH_COST),
        say("Locate Planet X: {cost}", cost=LOCATE_COST),
    )


def _survey_costs(mode: SkyMode) -> Iterator[Text]:
    for cost, group in groupby(range(1, mode.half + 1), survey_cost):
        lengths = tuple(group)
        yield say("Survey {first} to {last} sectors: {cost}", first=lengths[0], last=lengths[-1], cost=cost)


def _phases() -> tuple[Text, ...]:
    return (
        say("Turns and theories"),
        say("The last pawn acts"),
        say("A theory is reviewed in its third phase"),
        say("Wrong: the pawn advances by 1"),
        say("Right: the sector is settled"),
    )


def _score(mode: SkyMode) -> tuple[Text, ...]:
    return (
        say("Points"),
        say("First right theory in a sector: 1"),
        say("Asteroid 2, comet 3, gas cloud 4"),
        say("Dwarf planet: {points}", points=4 if mode.dwarf_band is None else 2),
        say("Planet X first: 10"),
        say("Planet X later: 2 a sector behind"),
    )
