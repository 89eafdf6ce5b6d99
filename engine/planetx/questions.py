"""The questions Survey, Target and Research; `ending` has Locate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar

from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Words
from engine.grammar import reading
from engine.planetx.facts import TOPIC_OF_WORD, TOPICS, Fact, answer_text, survey_count, target_kind, title
from engine.planetx.match import (
    ActionRecord,
    FactAnswer,
    ObjectWord,
    Order,
    Phases,
    PlayerState,
    Questioning,
    Sector,
    State,
    one_of,
    player_of,
    with_player,
)
from engine.planetx.sky import KIND_OF_WORD, PLURALS, SkyMode, half_from, run
from engine.planetx.track import (
    HELD_ONCE,
    OF_SEAT,
    Acting,
    Repair,
    conference_text,
    held_before,
    hold_conference,
    in_order,
    visible,
)
from engine.rules import MenuWord, Values, Word, verb
from engine.table import Seat
from engine.text import Text, list_texts, many, say, who
from engine.view import Event, Ring


class FreeQuestioning(Questioning, frozen=True, tag="asking"):
    """Players keep track and score (option `app_only`): anybody asks about any sector."""

    clause = "X30"
    scored = False

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset(player.seat for player in in_order(state))

    def question(self, state: State) -> Text:
        return say("Ask.")

    def waiting(self, state: State, who: Text) -> Text:
        return say("Anybody may ask.")

    def sky(self, state: State) -> tuple[int, ...]:
        return run(1, state.mode.sectors, state.mode.sectors)

    def unseen(self, state: State, reason: Text) -> Text:
        return say("{reason} At most {count} sectors.", reason=reason, count=state.mode.half)

    def pay_time(self, state: State, seat: Seat, price: int) -> State:
        return state

    def ring(self, state: State, cells: tuple[str, ...], words: tuple[Text, ...]) -> Ring:
        return Ring(say("Sky"), cells, words=words)


class Inquiry(Order, frozen=True):
    """A question announced to all, answered to one, paid in time (X30)."""

    when: ClassVar[Phases] = (Acting, FreeQuestioning)

    def cost(self, sectors: int) -> int:
        """Return the question's time in sectors (X30). sectors: size of the sky."""
        raise NotImplementedError

    def price(self, state: State) -> int:
        return self.cost(state.mode.sectors)

    def answer(self, state: State) -> Fact:
        """Return the true answer from the hidden board."""
        raise NotImplementedError

    def announced_words(self, state: State) -> Words:
        return self.notation(state)

    @classmethod
    def announcement(cls, state: State, deed: ActionRecord) -> Text:
        """Return a record's public sentence."""
        raise NotImplementedError

    def success(self, fact: Fact) -> bool | None:
        """Return a claim's public success, else None (X30)."""
        return None

    def add_answer(self, player: PlayerState, fact: Fact) -> PlayerState:
        answers = (*player.answers, FactAnswer(player.time, fact))
        return replace(player, answers=answers, last=verb(type(self)))

    def after(self, state: State, seat: Seat) -> State:
        """Record the action, store the private answer, and pay (X30)."""
        price, fact, player = self.price(state), self.answer(state), player_of(state, seat)
        deed = ActionRecord(seat, player.time, self.announced_words(state), price, self.success(fact))
        state = replace(with_player(state, self.add_answer(player, fact)), deeds=(*state.deeds, deed))
        return state.rules.play.pay_time(state, seat, price)

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(self.announcement(after, after.deeds[-1]), None)
        answered = player_of(after, seat).answers[-1]
        yield Event(answer_text(answered.fact), frozenset({seat}), reveals=True)


def announcement(state: State, deed: ActionRecord) -> Text:
    """Return a past question's public sentence (X30)."""
    kind = next(kind for kind in Inquiry.__subclasses__() if verb(kind) == deed.words[0])
    return kind.announcement(state, deed)


# --- Survey


class Surveyed(ObjectWord):
    """The kind to count (X31)."""

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return PLURALS[value]


class StartSector(Sector):
    """A visible sector (X31), for comets one that may hold them (X32)."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        sky = visible(state)
        return [sector for sector in sky if may_bound(state.mode, before[0], sector)]

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        return reading(say("from sector {sector}", sector=value), say("{a}"))


class EndSector(Sector):
    """The other end, nearest first, with the cost (X31)."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return half_from(state.mode, before[1])

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        first, length = before[1], (value - before[1]) % state.mode.sectors + 1
        if length == 1:
            return say("sector {sector} only (time {cost})", sector=value, cost=survey_cost(length))
        return say("sectors {first}-{last} (time {cost})", first=first, last=value, cost=survey_cost(length))


SURVEYED, START, END = Surveyed(), StartSector(), EndSector()


class Survey(Inquiry, frozen=True, tag="survey", rename={"start": "first", "end": "last"}):
    """Count a kind in the sectors from `start` clockwise to `end` (X31)."""

    kind: Annotated[str, SURVEYED]
    start: Annotated[int, START]
    end: Annotated[int, END]

    # Translators: {a}: what is looked for, such as comets; {c}: "sectors 6-8 (time 4)".
    name = reading(say("Survey"), say("Survey for {a}: {c}"))
    clauses = ("X31", "X32")

    def cost(self, sectors: int) -> int:
        return survey_cost((self.end - self.start) % sectors + 1)

    @classmethod
    def announcement(cls, state: State, deed: ActionRecord) -> Text:
        _, kind, first, last = deed.words
        told: dict[str, Text | int] = {
            "seat": who(deed.seat),
            "objects": PLURALS[KIND_OF_WORD[kind]],
            "cost": deed.cost,
        }
        if first == last:
            return say("{seat} surveys sector {sector} for {objects} (time {cost}).", sector=first, **told)
        return say("{seat} surveys {first} to {last} for {objects} (time {cost}).", first=first, last=last, **told)

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        mode, sky = state.mode, visible(state)
        sectors = run(self.start, self.end, mode.sectors)
        if self.kind == "X":
            yield Violation("X31", say("Planet X cannot be surveyed: it counts as empty."))
        if len(sectors) > mode.half or not set(sectors) <= set(sky):
            yield Violation("X31", state.rules.play.unseen(state, say("A survey covers visible sectors in a row.")))
        if not all(may_bound(mode, self.kind, sector) for sector in (self.start, self.end)):
            allowed = list_texts(map(str, mode.comet_sectors))
            text = say("A survey for comets begins and ends in one of the sectors {sectors}.", sectors=allowed)
            yield Violation("X32", text)

    def answer(self, state: State) -> Fact:
        number = survey_count(state.game.board, self.kind, run(self.start, self.end, state.mode.sectors))
        return Fact("survey", self.kind, n=number, sector=self.start, last=self.end)


def may_bound(mode: SkyMode, kind: str, sector: int) -> bool:
    """Return True if a survey of the kind may begin or end there (X32)."""
    return kind != "C" or sector in mode.comet_sectors


def survey_cost(length: int) -> int:
    """Return the cost by number of sectors: 4 for 1-3, 3 for 4-6, 2 for 7-9 (X31)."""
    return 4 - (length - 1) // 3


# --- Target

TARGETS = 2
"""Targets per player (X33)."""
TARGET_COST = 4


class Visible(Sector):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return visible(state)


VISIBLE = Visible()


class Target(Inquiry, frozen=True, tag="target"):
    """Ask for a sector's object (X33)."""

    clauses = ("X33",)

    sector: Annotated[int, VISIBLE]

    @classmethod
    def title(cls, state: State, seat: Seat) -> Text:
        left = player_of(state, seat).targets
        verb = many(
            "Target (time {cost}; {count} target left)",
            "Target (time {cost}; {count} targets left)",
            left,
            cost=TARGET_COST,
        )
        # Translators: {a}: a sector.
        return reading(
            verb,
            many(
                "Target {a} (time {cost}; {count} target left)", "Target {a} (time {cost}; {count} targets left)", left
            ),
        )

    def cost(self, sectors: int) -> int:
        return TARGET_COST

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if not player_of(state, seat).targets:
            yield Violation("X33", say("All targets have been used."))

    @classmethod
    def announcement(cls, state: State, deed: ActionRecord) -> Text:
        _, sector = deed.words
        seat = who(deed.seat)
        return say("{seat} targets sector {sector} (time {cost}).", seat=seat, sector=sector, cost=deed.cost)

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if self.sector not in visible(state):
            yield Violation("X33", state.rules.play.unseen(state, say("Only a visible sector can be targeted.")))

    def answer(self, state: State) -> Fact:
        return Fact("target", target_kind(state.game.board, self.sector), sector=self.sector)

    def add_answer(self, player: PlayerState, fact: Fact) -> PlayerState:
        return replace(super().add_answer(player, fact), targets=player.targets - 1)


TARGETS_LEFT = MenuWord[State, int](
    lambda *_: range(TARGETS + 1),
    lambda left: say("{left} left", left=left),
    lambda state, before: player_of(state, before[0]).targets,
)


class Targets(Repair, frozen=True, tag="targets"):
    """Correct a player's targets left (X33)."""

    seat: Annotated[Seat, OF_SEAT]
    left: Annotated[int, TARGETS_LEFT]

    name = say("Targets left")

    def after(self, state: State) -> State:
        return with_player(state, replace(player_of(state, self.seat), targets=self.left))

    def public_text(self, state: State) -> Text:
        return many(
            "Put right: targets left to {seat}: {count}.",
            "Put right: targets left to {seat}: {count}.",
            self.left,
            seat=who(self.seat),
        )


# --- Research

RESEARCH_COST = 1


class Topic(Word[State, str]):
    """A topic, stored by letter, written by word; old records' letters are read too."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return (fact.id for fact in state.game.topics)

    def write(self, state: State, value: str, before: Values) -> Words:
        return (TOPICS[value],)

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return topic_text(_topic(state, value))

    def read(self, state: State, word: str, before: Values) -> str:
        return TOPIC_OF_WORD[one_of(TOPICS.get(word.upper(), word.upper()), TOPIC_OF_WORD)]


def _topic(state: State, letter: str) -> Fact:
    return next(fact for fact in state.game.topics if fact.id == letter)


def topic_text(fact: Fact) -> Text:
    return say("{topic}: {title}", topic=TOPICS[fact.id], title=title(fact))


TOPIC = Topic()


class Research(Inquiry, frozen=True, tag="research"):
    """Ask about a topic (X34)."""

    topic: Annotated[str, TOPIC]

    # Translators: {a}: a topic with its title.
    name = reading(say("Research (time {cost})", cost=RESEARCH_COST), say("Research {a} (time {cost})"))
    clauses = ("X34",)

    def cost(self, sectors: int) -> int:
        return RESEARCH_COST

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if not may_research(player_of(state, seat)):
            yield Violation("X34", say("Research cannot follow research: choose another action first."))

    @classmethod
    def announcement(cls, state: State, deed: ActionRecord) -> Text:
        _, topic = deed.words
        return say(
            "{seat} researches {topic}, {title} (time {cost}).",
            seat=who(deed.seat),
            topic=topic,
            title=title(_topic(state, TOPIC_OF_WORD[topic])),
            cost=deed.cost,
        )

    def answer(self, state: State) -> Fact:
        return _topic(state, self.topic)


def may_research(player: PlayerState) -> bool:
    """Return True unless the last action was Research (X34)."""
    return player.last != verb(Research)


# --- conferences where players keep the track


class ConferenceName(Word[State, str]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return (conference.name for conference in state.setting.conferences)

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return say("Conference {name}", name=value)

    def read(self, state: State, word: str, before: Values) -> str:
        return one_of(word.upper(), (conference.name for conference in state.setting.conferences))


CONFERENCE = ConferenceName()


class Confer(Order, frozen=True, tag="conference", rename={"held": "name"}):
    """Hold a conference where players keep the track."""

    held: Annotated[str, CONFERENCE]

    name = say("Conference")
    clauses = (HELD_ONCE,)
    when = (FreeQuestioning,)

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        yield from held_before(state, self.held)

    def after(self, state: State, seat: Seat) -> State:
        return hold_conference(state, self.held)[0]

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(conference_text(after, self.held), None, reveals=True)
