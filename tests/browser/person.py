"""A person at the page: eyes, one mouse, and the patience to wait for what should happen."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from device import games
from device.screens.render import pages
from device.screens.screen import Screen
from device.sim.players import menus
from device.sim.players.world import Course, Pause, Tap
from device.sim.table.places import bodies_at, zones
from device.sim.table.truth import Body, members
from engine.catalogue import AnyGame
from engine.entry import Act, Entry
from engine.game import OptionValue, Words
from engine.match import Match, replay
from engine.table import Layout, Order, Spot, Trace

AFTER_TAP_S = 0.15
ANSWER_S = 2.0
STEPS = 6
BITS = """
const canvas = document.querySelector(`canvas[data-display="${arguments[0]}"]`);
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
const lit = new Uint8Array(data.length / 4);
for (let i = 0; i < lit.length; i += 1) lit[i] = data[4 * i] > 100 ? 1 : 0;
return btoa(String.fromCharCode(...lit));
"""
POINT = """
const at = document.querySelector("#table .ground").getScreenCTM();
const point = new DOMPoint(arguments[0], arguments[1]).matrixTransform(at);
return [point.x, point.y];
"""
BOX = """
const element = document.querySelector(arguments[0]);
element.scrollIntoView({ block: "nearest" });
const box = element.getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2];
"""
TOUCHED = "return Boolean(document.elementFromPoint(arguments[0], arguments[1])?.closest('.piece, .held-card'))"
Point = tuple[float, float]


class Person:
    """Eyes and one mouse on the operator's page."""

    def __init__(self, browser: Chrome, table: Any) -> None:
        self.browser, self.live = browser, table.live
        browser.get(table.pages[None])
        self.wait(lambda: self.find("#link").get_attribute("data-state") == "live")
        lying = len(self.live.stage.truth().bodies)
        self.wait(lambda: len(browser.find_elements(By.CSS_SELECTOR, ".piece")) == lying)

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def wait(self, done: Callable[[], bool], seconds: float = 20.0) -> None:
        until = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < until, f"it does not happen; {self.state()}"
            time.sleep(0.05)

    def state(self) -> str:
        """What the displays say, and where the pieces lie: for whoever reads a failure."""
        screens = {name: self.live.players.screen(name) for name in ("a", "b")}
        lying = [(body.kind, round(body.x), round(body.y), body.face) for body in self.live.stage.truth().bodies]
        return f"displays: {screens}; pieces: {lying}"

    # Buttons.

    def press(self, panel: str, button: str, held_s: float = 0.1) -> None:
        element = self.find(f'[data-panel="{panel}"][data-button="{button}"]')
        ActionChains(self.browser, duration=0).click_and_hold(element).pause(held_s).release().perform()
        time.sleep(AFTER_TAP_S)

    def follow(self, course: Course) -> None:
        """Does what a player at the table would, with the mouse."""
        for wish in course:
            match wish:
                case Tap(panel, button):
                    before = self.live.players.screen(panel)
                    self.press(panel, button.value)
                    self._look_again(panel, before)
                case Pause(seconds):
                    time.sleep(seconds)

    def _look_again(self, panel: str, before: Screen) -> None:
        """Nobody presses again before the display has answered; a press may also change nothing."""
        until = time.monotonic() + ANSWER_S
        while self.live.players.screen(panel) == before and time.monotonic() < until:
            time.sleep(0.05)

    def use_hand(self, seat: str) -> None:
        self.find(f'#hand label:has(input[value="{seat}"])').click()

    # Pieces.

    def drag(self, kind: str, x: float, y: float) -> None:
        """Drags a face-up piece to a place on the mat, in millimetres."""
        self._pull(self._middle(f'.piece[data-kind="{kind}"]'), self._point(x, y))

    def carry_out(self, seat: str, trace: Trace, before: Layout, hidden: str | None = None) -> None:
        """Does with the mouse what the trace shows. hidden: the card out of the hand that is laid face down."""
        self.use_hand(seat)
        stage = self.live.stage
        lying = bodies_at(before, stage.truth(), stage.mat)
        for move in trace.moves:
            body = lying.get(move.source) if move.source is not None else None
            shown = trace.layout.at(move.target) if move.target is not None else None
            turns = move.source in trace.turned
            if body is None:
                assert move.target is not None
                kind = shown.kind if shown is not None and shown.kind is not None else hidden
                start = self._middle(f'#tray .held-card[data-kind="{kind}"]')
            else:
                start = self._lies(body)
            self._see(start)
            self._pull(start, self._place(move.target))
            if body is not None and turns:
                self.turn(body.id)
        for spot in sorted(trace.turned - {move.source for move in trace.moves}):
            self.turn(lying[spot].id)

    def turn(self, ident: int) -> None:
        """Turns a piece over where it lies, and waits for the hand to go."""
        self.wait(lambda: not self.live.stage.truth().body(ident).held)
        x, y = self._lies(self.live.stage.truth().body(ident))
        self._see((x, y))
        hand = ActionChains(self.browser, duration=0)
        hand.w3c_actions.pointer_action.move_to_location(round(x), round(y))
        hand.w3c_actions.pointer_action.double_click()
        hand.perform()
        self.wait(lambda: not self.live.stage.table.resting(self.live.players.now), 3)
        self.wait(lambda: self.live.stage.table.resting(self.live.players.now))

    def _see(self, at: Point) -> None:
        """Waits until the page shows something there that can be taken."""
        self.wait(lambda: bool(self.browser.execute_script(TOUCHED, *at)))

    def _place(self, target: Spot | None) -> Point:
        """Where the mouse lets go: in the hand of cards, or in the zone."""
        if target is None:
            return self._middle("#tray .cards")
        zone = zones(self.live.stage.mat)[target.zone]
        box = zone.cells[target.index] if zone.order is Order.CELLS else zone.box
        x = box.x + box.width / 2
        if zone.order is Order.AREA:
            taken = len([b for b in members(self.live.stage.truth(), zone) if b is not None])
            x = box.x + 40 + 66 * taken
        return self._point(x, box.y + box.height / 2)

    def _lies(self, body: Body) -> Point:
        return self._point(body.x, body.y)

    def _point(self, x: float, y: float) -> Point:
        """Millimetres on the mat as pixels of the window."""
        across, down = self.browser.execute_script(POINT, x, y)
        return across, down

    def _middle(self, selector: str) -> Point:
        """Found and measured in one go: the page draws its cards anew at any time."""
        self.wait(lambda: bool(self.browser.find_elements(By.CSS_SELECTOR, selector)))
        across, down = self.browser.execute_script(BOX, selector)
        return across, down

    def _pull(self, start: Point, stop: Point) -> None:
        hand = ActionChains(self.browser, duration=40)
        mouse = hand.w3c_actions.pointer_action
        mouse.move_to_location(round(start[0]), round(start[1])).pointer_down()
        for step in range(1, STEPS + 1):
            x = start[0] + (stop[0] - start[0]) * step / STEPS
            y = start[1] + (stop[1] - start[1]) * step / STEPS
            mouse.move_to_location(round(x), round(y))
        mouse.pause(0.1).pointer_up()
        hand.perform()

    # Displays.

    def bits(self, display: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """The pixels of a display as the page shows them."""
        canvas = self.find(f'canvas[data-display="{display}"]')
        width, height = int(canvas.get_attribute("width") or 0), int(canvas.get_attribute("height") or 0)
        lit = base64.b64decode(self.browser.execute_script(BITS, display))
        return np.frombuffer(lit, np.uint8).reshape(height, width).astype(bool)

    def shows(self, display: str) -> bool:
        """True if the page's display is, pixel for pixel, a page of the screen that the daemon wants there."""
        shown = self.bits(display)
        height, width = shown.shape
        wanted = pages(self.live.players.screen(display), (width, height), "en")
        return any(np.array_equal(shown, np.asarray(page, dtype=bool)) for page in wanted)

    def faults(self) -> list[str]:
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]

    # The match.

    def begin(self, game: str, **options: OptionValue) -> None:
        """From power-on to the first turn."""
        self.follow(menus.set_up(self.live.players, "a", games.spec(game), len(self.live.stage.seats), options))
        self.wait(lambda: len(self.entries()) == 1)
        self.wait(lambda: self.live.stage.holding is self.live.stage.dealt)

    def show_hands(self) -> None:
        for seat in self.live.stage.seats:
            self.use_hand(seat)
            self.find("#show").click()

    def act(self, game: AnyGame, seat: str, words: Words, hidden: str | None = None) -> None:
        """Does it as it has to be done: ordered at the buttons if no camera can tell it, carried out by hand."""
        state, mark = self.match(game).state, len(self.entries())
        trace, before = game.trace(state, seat, game.read(state, seat, words)), game.layout(state)
        if trace.declared or trace.unseen:
            self.follow(menus.enter(self.live.players, seat, lambda prefix: game.choices(state, seat, prefix), words))
        if not trace.unseen:
            self.carry_out(seat, trace, before, hidden)
        waited = 1 + (trace.declared and not trace.unseen)
        self.wait(lambda: len(self.entries()) >= mark + waited)
        first = self.entries()[mark]
        assert isinstance(first, Act)
        assert (first.seat, game.read(state, seat, first.words)) == (seat, game.read(state, seat, words))

    def entries(self) -> tuple[Entry, ...]:
        return tuple(self.live.players.entries())

    def match(self, game: AnyGame) -> Match:
        """As it was recorded."""
        return replay(game, self.entries())
