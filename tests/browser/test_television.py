"""The table's page on a television and on a tablet, and the picture of how a match ended."""

from __future__ import annotations

import base64

import cv2
import numpy as np
import pytest
from selenium.webdriver import Chrome

from tests.browser.pages import Pages
from tests.browser.test_pages import GAMES, Guest
from tests.device.session.test_page_views import shown as sheets

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
SIZES = ((1280, 720), (1920, 1080), (3840, 2160), (1024, 768), (768, 1024))
TOO_HIGH = "return document.documentElement.scrollHeight - innerHeight"
OUTSIDE = """
const seen = [...document.querySelectorAll(".status, .board svg, .ring svg, .players li, .ending, svg.code")];
return seen.filter((each) => each.offsetParent ?? each.ownerSVGElement === null)
  .filter((each) => {
    const { top, left, right, bottom, height } = each.getBoundingClientRect();
    return height < 20 || top < -1 || left < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
  }).map((each) => each.getAttribute("class") ?? each.parentElement.className);
"""
ON_PICTURE = """
const { left, width } = document.querySelector(".photo").getBoundingClientRect();
const middle = ({ left, width }) => left + width / 2;
const rings = [...document.querySelectorAll(".on-photo .ring")];
return [left, width / arguments[0], rings.map((each) => middle(each.getBoundingClientRect()))];
"""
"""The left edge of the picture, pixels a millimetre, and the middles of its marks."""

DRAWN = "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(done));"
FILE = """
const [button] = arguments;
const done = arguments[arguments.length - 1];
navigator.canShare = undefined;
const made = URL.createObjectURL;
URL.createObjectURL = (file) => {
  const reader = new FileReader();
  reader.onload = () => done([file.name, reader.result]);
  reader.readAsDataURL(file);
  return made(file);
};
document.createElement = ((make) => (name) => {
  const made = make.call(document, name);
  if (name === "a") made.click = () => (document.body.dataset.saved = made.download);
  return made;
})(document.createElement);
[...document.querySelectorAll(".ending button")].find(({ textContent }) => textContent === button).click();
"""
"""Presses a button; returns what would have been downloaded."""
DONE = "const done = arguments[arguments.length - 1];"
KEPT = "const done = (found) => (window.kept = found);"
COLOURS = {"blue": (233, 180, 86), "red": (0, 94, 213), "yellow": (66, 228, 240), "green": (115, 158, 0)}
"""Of the players, BGR."""

HEADS = ["0 1a2b 3c4d 5e6f 7081 92a3 b4c5", "57 9f86 d081 884c 7d65 9a2f eaa0"]


@pytest.fixture
def guest(browser: Chrome) -> Guest:
    return Guest(browser)


@pytest.mark.parametrize("game", GAMES)
def test_what_matters_is_in_sight_without_scrolling(guest: Guest, game: str) -> None:
    found = sheets(game)
    codes = [{"seat": s, "name": s, "address": f"HTTP://192.168.1.23:8142/#ABCDEFGH2345677{s}"} for s in "abcd"]
    stages = {stage: found[stage]["table"] for stage in ("after 3 actions", "after 12 actions", "end")}
    stages["free seats"] = {**found["rules"]["table"], "codes": codes}
    with Pages("table", stages["free seats"]) as pages:
        guest.browser.get(pages.address)
        guest.wait(lambda: bool(guest.all(".status")))
        for number, (stage, sheet) in enumerate(stages.items()):
            pages.show(**sheet)
            guest.reads(sheet["wanted"] or sheet["status"])
            for width, height in SIZES:
                guest.holds(width, height, dark=number % 2 == 1)
                guest.browser.execute_async_script(DRAWN)
                assert guest.browser.execute_script(TOO_HIGH) <= 0, (stage, width, height)
                assert guest.browser.execute_script(OUTSIDE) == [], (stage, width, height)
            assert guest.faults() == [], stage


def test_the_cameras_picture_takes_the_place_of_the_drawn_board_with_its_marks(guest: Guest) -> None:
    sheet = sheets("tellstones")["after 12 actions"]["table"]
    good, jpeg = cv2.imencode(".jpg", np.full((848, 1200, 3), (60, 90, 60), np.uint8))
    assert good
    marks = [
        {"zone": "line", "x_mm": 100.0, "y_mm": 50.0, "angle_deg": 0.0, "back": False},
        {"zone": "line", "x_mm": 300.0, "y_mm": 50.0, "angle_deg": 0.0, "back": True},
    ]
    with Pages("table", sheet) as pages:
        guest.browser.get(pages.address)
        guest.wait(lambda: bool(guest.all(".board .mat")))
        pages.show(picture=base64.b64encode(jpeg.tobytes()).decode(), marks=marks)
        guest.wait(lambda: bool(guest.all(".board .photo")))
        assert guest.all(".board .mat, .board .piece, .board .zone") == []
        for width, height in SIZES:
            guest.holds(width, height)
            guest.browser.execute_async_script(DRAWN)
            left, scale, places = guest.browser.execute_script(ON_PICTURE, sheet["board"]["size_mm"][0])
            assert [round((x - left) / scale) for x in places] == [100, 300]
            assert guest.browser.execute_script(OUTSIDE) == [], (width, height)
        assert [each.get_attribute("class") for each in guest.all(".on-photo")] == ["on-photo", "on-photo back"]
        assert guest.faults() == []
        pages.show(picture="", marks=[])
        guest.wait(lambda: bool(guest.all(".board .mat")))
        assert guest.all(".board .photo") == []


@pytest.mark.parametrize(("game", "heads"), [("tellstones", HEADS), ("runes", [])])
def test_a_picture_of_the_end_is_downloaded_and_its_code_holds_the_heads(
    guest: Guest, game: str, heads: list[str]
) -> None:
    sheet = sheets(game)["end"]["table"]
    with Pages("table", {**sheet, "ending": {**sheet["ending"], "heads": heads}}) as pages:
        guest.holds(1280, 720)
        guest.browser.get(pages.address)
        guest.wait(lambda: bool(guest.all(".ending button")))
        name, address = guest.browser.execute_async_script(FILE, "Share a picture")
    assert name == f"{sheet['heading']}.png"
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(address.partition(",")[2]), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (1350, 1080, 3)
    for player in sheet["players"]:  # one mark beside each name, a larger one at the winner's
        rows = np.unique(np.nonzero((picture == COLOURS[player["colour"]]).all(axis=2))[0])
        assert len(rows) > 10
        assert (len(rows) > 60) is (player["seat"] in sheet["ending"]["winners"])
    assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == "\n".join(heads)


def test_a_match_that_ended_is_saved_as_a_file(guest: Guest) -> None:
    sheet = sheets("tellstones")["end"]["a"]
    record = "; A wins ☺\n" * 5000
    data, half = record.encode(), len(record.encode()) // 2
    parts = [base64.b64encode(each).decode() for each in (data[:half], data[half:])]
    with Pages("a", {**sheet, "ending": {**sheet["ending"], "begun": 1790000000.0}}) as pages:
        guest.holds(360, 740)
        guest.sits_down(pages)
        guest.browser.execute_script(FILE.replace(DONE, KEPT), "Save the match")
        assert pages.hears(lambda said: "save" in said) == {"save": True}
        guest.wait(lambda: bool(guest.all(".ending button:disabled")))
        assert guest.find(".ending button:disabled").text == "Saving …"
        for at, part in enumerate(parts):
            pages.say({"part": part, "at": at, "of": len(parts)})
        guest.wait(lambda: guest.browser.execute_script("return window.kept?.length") == 2)
        _, address = guest.browser.execute_script("return window.kept")
        assert base64.b64decode(address.partition(",")[2]).decode() == record
        assert guest.browser.execute_script("return document.body.dataset.saved") == "tellstones-2026-09-21.txt"
        guest.browser.execute_script("arguments[0].click()", guest.button("Save the match"))
        pages.hears(lambda said: "save" in said)
        pages.say({"note": "The match could not be saved."})
        guest.reads("The match could not be saved.")
        guest.button("Save the match")
        assert guest.faults() == []
