"""Players with phones only, who read pages and tap lines by text."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial

from device.locale import NAMES, translate
from device.screens.page_view import Wire
from device.session.table import KnownGame
from engine.catalogue import Option, value_text
from engine.game import OptionValue, Words
from engine.grammar import phrase_words
from engine.table import SEATS, Seat
from engine.text import Text, many, say
from engine.view import Outcome
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players import menus
from referee_simulator.players.menus import NotThere
from referee_simulator.players.pressers import Habits, Pressers
from referee_simulator.players.world import Arrive, Course, Pause, Touch, Wish


class Tappers(Pressers):
    """All players of a match, without panels.

    language: of all pages. Actions' texts come from the rules, their lines from the page."""

    def __init__(
        self,
        world: Timed,
        known: KnownGame,
        seats: int,
        seed: int,
        habits: Habits | None = None,
        *,
        language: str,
    ) -> None:
        super().__init__(world, known, seats, seed, habits)
        self._put = partial(translate, language=language)
        self._language = language

    # The set-up.

    def _set_up(self, options: Mapping[str, OptionValue]) -> Course:
        for seat in SEATS[: self._count]:
            yield Arrive(seat)
        spec = self._known.spec
        wanted = {o: options[o.name] for o in spec.options if o.name in options and options[o.name] != o.default}
        for _ in range(menus.PATIENCE):
            if self._world.entries():
                return
            yield from self._answer(wanted)
        raise NotThere(f"the set-up does not come to an end: {self._page('a')['answers']}")

    def _answer(self, pending: dict[Option, OptionValue]) -> Course:
        lines = self._lines("a")
        option = next((o for o in pending if any(self._asks(line, o) for line in lines)), None)
        more = [self._put(say("More rules"))] if pending else []
        known = (
            NAMES[self._language],
            self._put(Text(self._known.spec.title)),
            self._put(many("1 player", "{count} players", self._count)),
            *more,
            self._put(say("Continue")),
        )
        if option is not None:
            yield from self._tap("a", next(line for line in lines if self._asks(line, option)))
            yield from self._tap("a", self._put(value_text(option, pending.pop(option))))
        else:
            yield from self._tap("a", next((text for text in known if text in lines), lines[0] if lines else ""))

    def _asks(self, line: str, option: Option) -> bool:
        return any(
            line == self._put(say("{option}: {value}", option=Text(option.title), value=value_text(option, each)))
            for each in option.values
        )

    # One action.

    def _next(self) -> Generator[Wish, None, Seat]:
        yield from ()
        return self._rng.choice(sorted(self._game.actors(self._now.state)))

    def _press(self, seat: Seat, words: Words) -> Course:
        texts, state, count = list[Text](), self._now.state, len(self._world.entries())
        for depth, word in enumerate(words):
            choices = self._game.choices(state, seat, words[:depth])
            texts.append(next(choice.text for choice in choices if choice.word == word))
        for _ in range(len(words) + 1):
            answers = self._page(seat)["answers"]
            if len(self._world.entries()) > count:
                return
            if self._put(say("Yes")) in answers["lines"] and answers["asks"]:
                yield from self._tap(seat, self._put(say("Yes")))
                continue
            rest = texts[len(answers["path"]) :]
            found = [self._words_of(rest, length) for length in range(len(rest), 0, -1)]
            yield from self._tap(seat, next((text for text in found if text in answers["lines"]), found[0]))

    def _words_of(self, texts: list[Text], length: int) -> str:
        words = phrase_words(texts[:length])
        return self._put(words if length == len(texts) else say("{words} …", words=words))

    def _press_done(self) -> Course:
        done = self._put(say("Done"))
        for seat in SEATS[: self._count]:
            if done in self._lines(seat):
                yield from self._tap(seat, done)
                return

    def _fidget(self, seat: Seat) -> Course:
        yield from self._tap(seat, self._put(say("Correct the referee")), menu=True)
        yield self._touch(seat, -1)

    def _resign_match(self, seat: Seat) -> Course:
        yield from self._tap(seat, self._put(say("Resign")), menu=True)
        yield from self._tap(seat, next(line for line in self._lines(seat) if line != self._put(say("No"))))

    def _check_shown(self, result: Outcome) -> None:
        for seat in (*SEATS[: self._count], None):
            if self._page(seat)["wanted"] != self._put(result.text):
                self.tally.jam(f"the page of {seat or 'the table'} does not show the result: {self._page(seat)}")

    # A page.

    def _page(self, seat: Seat | None) -> Wire:
        return self._world.page(seat, self._language)

    def _lines(self, seat: Seat) -> list[str]:
        found: list[str] = self._page(seat)["answers"]["lines"]
        return found

    def _tap(self, seat: Seat, text: str, *, menu: bool = False) -> Course:
        """Tap the line with this text. Raises NotThere."""
        yield Pause(menus.READ_S)
        lines = self._page(seat)["menu" if menu else "answers"]["lines"]
        if text not in lines:
            raise NotThere(f"the page of {seat} does not offer {text!r}: {lines}")
        yield self._touch(seat, lines.index(text), menu=menu)

    def _touch(self, seat: Seat, line: int, *, menu: bool = False) -> Touch:
        return Touch(seat, self._page(seat)["menu" if menu else "answers"]["serial"], line, menu)
