"""The owner's page at a running table, on real sockets: who gets in, what is shown, and what a tap does."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import msgspec
import pytest

from device.daemon.jobs import NEEDED, ROUND_S
from device.daemon.jobs import RunningTask as Work
from device.daemon.maintenance import BUSY_PAGES
from device.journal import About
from device.key_gestures import Button, Gesture, Key
from device.owner import upkeep
from device.owner.claim_files import OwnerFiles
from device.owner.steps import Notice, TaskStep
from device.screens.screen import Screen
from device.session.aim import READING_S
from device.session.messages import LanguageChosen, Tend
from device.session.state import Setup
from device.session.state import SetupPage as Stage
from device.settings.owner_settings import KEPT
from device.settings.table import Recording
from engine.entry import Start
from engine.text import Text
from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.daemon.phones import KEY, OTHER, Gateway, Page, until
from extensions.phones.tests.daemon.test_page_server import CODE, House, living
from referee_phones.daemon.claimed_pages import LINKS, SENTENCES, TRIES
from referee_phones.daemon.seats import RefusalReason
from referee_phones.frames import Go, Name, PageTouch
from tests.device.daemon.test_jobs import Lent, Sees
from tests.vision.scenes import View, World, load_mat
from vision.messages import Picture

BUSY = "from device.cli import main; main()"
"""Makes idle work usual, which would wait for all others' tests where all processors are at work."""


async def owner(context: House, phone: Phone = KEY, code: str = CODE, at: Gateway | None = None) -> Page:
    """A browser that claims the table, or comes back to it. at: through this worker."""
    page = (at or await context.gateway("owner")).page()
    page.back(phone)
    await until(lambda: bool(page.seat and page.step) or page.why)
    if page.why:
        page.why.clear()
        page.join(code, phone)
        await until(lambda: bool(page.seat and page.step) or page.why)
    return page


def choose(page: Page, line: str) -> None:
    page.say(PageTouch, page.step["serial"], page.step["choices"].index(line))


async def goes_to(page: Page, doing: str) -> None:
    await until(lambda: page.step["doing"] == doing)


def test_the_first_run_goes_from_the_language_to_the_first_game(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        page = await owner(context)
        assert (page.step["doing"], page.step["done"], page.step["of"]) == ("The table's language", 0, 6)
        choose(page, "Русский")
        await until(lambda: context.referee.core.session.language == "ru")
        await until(lambda: {"speak": "ru"} in [json.loads(text) for text in page.texts])
        for doing in ("Sheets to print", "The camera's picture", "Enrol pieces", "Check the table"):
            await goes_to(page, doing)
            choose(page, "Continue")
        await goes_to(page, "The first game")
        assert page.step["address"] == "http://table.local:8139/"
        choose(page, "Continue")
        await goes_to(page, "Table settings")
        assert "Table status" in page.step["choices"]
        assert "Continue setup" not in page.step["choices"]

    living(tmp_path, scenario)


def test_a_page_speaks_the_language_that_is_chosen_also_if_it_is_the_tables_already(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        page = (await context.gateway("owner")).page("ru")
        page.back(KEY)
        await until(lambda: page.why)
        page.join(CODE, KEY)
        await until(lambda: page.step)
        choose(page, "English")
        await until(lambda: {"speak": "en"} in [json.loads(text) for text in page.texts])
        assert context.referee.core.session.language == "en"

    living(tmp_path, scenario)


def test_a_page_that_is_reloaded_and_a_table_that_is_switched_off_go_on_where_they_were(tmp_path: Path) -> None:
    async def first(context: House) -> None:
        page = await owner(context)
        choose(page, "English")
        await goes_to(page, "Sheets to print")
        again = (await context.gateway("owner")).page()
        again.back(KEY)
        await until(lambda: again.step.get("doing") == "Sheets to print")
        assert page.why == [RefusalReason.SUPERSEDED]
        choose(again, "Continue")
        await goes_to(again, "The camera's picture")

    async def second(context: House) -> None:
        page = (await context.gateway("owner")).page()
        page.back(KEY)
        await until(lambda: page.step.get("doing") == "The camera's picture")

    living(tmp_path, first)
    living(tmp_path, second)


def test_later_leads_to_everything_and_back_one_stage_back(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        page = await owner(context)
        choose(page, "English")
        await goes_to(page, "Sheets to print")
        choose(page, "Back")
        await goes_to(page, "The table's language")
        choose(page, "Later")
        await goes_to(page, "Table settings")
        choose(page, "Continue setup")
        await goes_to(page, "The table's language")

    living(tmp_path, scenario)


@pytest.mark.parametrize("say", [lambda page: page.back(OTHER), lambda page: page.join("WRONGWRONGWRONG2", OTHER)])
def test_who_is_not_the_owner_gets_a_sentence_and_nothing_of_the_owners(
    tmp_path: Path, say: Callable[[Page], None]
) -> None:
    async def scenario(context: House) -> None:
        await owner(context)
        stranger = (await context.gateway("owner")).page()
        for kind, *values in ((PageTouch, 2, 0), (Name, "Eve"), (Go,)):
            stranger.say(kind, *values)
        say(stranger)
        await until(lambda: stranger.why)
        assert not stranger.step
        assert [set(json.loads(text)) for text in stranger.texts] == [{"refused", "why"}]
        assert context.referee.core.session.language == "en"

    living(tmp_path, scenario)


def test_guessing_is_rationed_and_the_right_code_then_waits_too(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        page = (await context.gateway("owner")).page()
        for number in range(TRIES):
            page.join(f"WRONGWRONGWRONG{number}", KEY)
        page.join(CODE, KEY)
        await until(lambda: page.why == [*[RefusalReason.UNKNOWN] * TRIES, RefusalReason.BUSY])
        assert not context.claim_files.claim().owner

    living(tmp_path, scenario)


@pytest.mark.thorough
def test_two_owners_the_card_decides(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        gateway = await context.gateway("owner")
        first = await owner(context, at=gateway)
        second = await owner(context, OTHER, at=gateway)
        assert second.why == [RefusalReason.SPENT]
        (tmp_path / "card.txt").write_text("NEW-ON-THE-CARD\n", encoding="utf-8")
        second = await owner(context, OTHER, "NEWONTHECARD", gateway)
        assert second.seat == "owner"
        await until(lambda: first.ended)
        assert first.why == [RefusalReason.REVOKED]
        context.claim_files.keep(type(context.claim_files.claim())())
        await until(lambda: second.ended)
        assert second.why == [RefusalReason.UNKNOWN]

    living(tmp_path, scenario)


def test_a_disk_that_takes_nothing_leaves_the_table_nobodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_deed: OwnerFiles, _claim: object) -> None:
        raise OSError(28, "No space left on device")

    async def scenario(context: House) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(OwnerFiles, "keep", full)
            page = await owner(context)
            assert page.why == [RefusalReason.UNKEPT]
            assert not page.step
        page.join(CODE, KEY)
        await until(lambda: page.seat)

    living(tmp_path, scenario)


def test_a_tap_for_what_stood_there_before_changes_nothing(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        page = await owner(context)
        old = page.step["serial"]
        choose(page, "English")
        await goes_to(page, "Sheets to print")
        page.say(PageTouch, old, 0)
        await until(lambda: RefusalReason.STALE in page.why)
        page.say(PageTouch, page.step["serial"], 99)
        page.say(PageTouch, page.step["serial"], -1)
        await until(lambda: page.step["doing"] == "Sheets to print")

    living(tmp_path, scenario)


def test_many_strangers_keep_no_owner_out(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        gateway: Gateway = await context.gateway("owner")
        pages = [gateway.page() for _ in range(LINKS + 3)]
        page = await owner(context)
        assert page.seat == "owner"
        await until(lambda: sum(each.why == [RefusalReason.FULL] for each in pages) >= 3)

    living(tmp_path, scenario)


def test_each_why_is_a_sentence() -> None:
    assert all(str(text).endswith((".", "!")) for text in SENTENCES.values())


def test_where_there_is_a_steward_it_can_be_asked_and_a_tap_is_no_press_at_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.owner.start_page.there", lambda: True)
    made: list[Callable[[], bool]] = []

    class Asked(Notice):
        def __init__(self, agreed: Callable[[], bool]) -> None:
            super().__init__(lambda: TaskStep(upkeep.TITLE, Text(f"agreed: {agreed()}")))
            made.append(agreed)

    monkeypatch.setattr("device.owner.upkeep.Upkeep", Asked)

    async def scenario(context: House) -> None:
        page = await owner(context)
        choose(page, "English")
        await goes_to(page, "Sheets to print")
        choose(page, "Later")
        await goes_to(page, "Table settings")
        choose(page, "Update, restart, reset")
        await goes_to(page, "Update, restart, reset")
        assert page.step["now"] == "agreed: False"
        assert len(made) == 1

    living(tmp_path, scenario, ("a",))


@pytest.mark.thorough
def test_a_match_that_begins_takes_the_camera_and_no_picture_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera, sees = Lent(), Sees()
    sees.newest = Picture(1, b"what the camera sees", ())
    monkeypatch.setattr("device.daemon.maintenance.CameraPreview", lambda *_given: sees)

    async def scenario(context: House) -> None:
        page = await owner(context)
        choose(page, "English")
        await goes_to(page, "Sheets to print")
        choose(page, "Continue")
        await until(lambda: page.step["picture"])
        phone = (await context.gateway("a")).page()
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone.join(table.code("a"), KEY)
        await phone.sits()
        other = (await context.gateway("b")).page()
        other.join(table.code("b"), OTHER)
        await other.sits()
        for line in ("English", "2 players", "Continue", "No clock", "Continue"):
            if line in phone.sheet["answers"]["lines"]:
                serial = phone.sheet["answers"]["serial"]
                await phone.tap(phone.place(line))
                await until(lambda serial=serial: phone.sheet["answers"]["serial"] != serial)
            stage = context.referee.core.session.stage
            if isinstance(stage, Setup) and stage.page is not Setup().page:
                assert camera.out or stage.page in BUSY_PAGES
        await until(lambda: page.step["now"] == str(NEEDED))
        assert page.step["picture"] is None
        await until(lambda: not camera.out)

    living(tmp_path, scenario, camera=camera)


@pytest.mark.thorough
def test_at_the_tables_own_buttons_the_same_steps_stand_and_a_phone_may_take_over(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        async def press(button: Button) -> None:
            await asyncio.sleep(READING_S + 0.1)
            for gesture in (Gesture.DOWN, Gesture.PRESS, Gesture.UP):
                context.referee.listen(Key("a", button, gesture, context.referee.clock.now()))
            await context.referee.wait_settled()

        def shown() -> Screen:
            return next(screen for display, screen in reversed(context.shown) if display == "a")

        def lines() -> list[str]:
            menu = shown().menu
            return [] if menu is None else [str(item) for item in menu.items]

        async def choose_line(line: str) -> None:
            await until(lambda: line in lines())
            menu = shown().menu
            assert menu is not None
            for _ in range((lines().index(line) - menu.cursor) % len(lines())):
                await press(Button.NEXT)
            await press(Button.CHOOSE)

        await choose_line("English")
        await choose_line("Table settings")
        await choose_line("With a phone")
        await until(lambda: shown().code is not None)
        assert str(shown().code).endswith(f":8144/#{CODE}")
        await press(Button.CHOOSE)
        await choose_line("Table status")
        await until(lambda: str(shown().status) == "Table status")
        page = await owner(context)
        assert page.step["doing"] == "Table status", "a phone takes over where the buttons are"
        choose(page, "Continue")
        await until(lambda: str(shown().status) == "Table settings")
        assert "With a phone" not in lines(), "somebody owns it now"

    living(tmp_path, scenario, panels=("a",))


def test_a_press_for_a_step_that_a_phone_has_led_on_from_chooses_nothing(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        def press(button: Button) -> None:
            for gesture in (Gesture.DOWN, Gesture.PRESS, Gesture.UP):
                context.referee.listen(Key("a", button, gesture, context.referee.clock.now()))

        at_care = Setup(page=Stage.CARE)
        context.referee.core.session = msgspec.structs.replace(context.referee.core.session, stage=at_care)
        context.maintenance.on_tend(Tend(None))
        await until(lambda: context.referee.core.session.maintenance == context.maintenance.step)
        await asyncio.sleep(READING_S + 0.1)
        context.maintenance.choose([str(text) for text in context.maintenance.step.choices].index("Table status"))
        assert str(context.maintenance.step.doing) == "Table status"
        press(Button.CHOOSE)
        await context.referee.wait_settled()
        assert str(context.maintenance.step.doing) == "Table status"
        await until(lambda: context.referee.core.session.maintenance == context.maintenance.step)
        await asyncio.sleep(READING_S + 0.1)
        press(Button.CHOOSE)
        await until(lambda: str(context.maintenance.step.doing) == "Table settings")

    living(tmp_path, scenario, panels=("a",))


@pytest.mark.thorough
def test_pieces_are_enrolled_in_a_process_of_its_own_that_has_the_camera_meanwhile(tmp_path: Path) -> None:
    camera, pictures = Lent(), tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "0.png"), World(load_mat(), view=View(width=320, height=180)).render())
    for number in range(1, 5000):  # they come as fast as they are read
        (pictures / f"{number}.png").hardlink_to(pictures / "0.png")

    async def scenario(context: House) -> None:
        task = context.maintenance.enrolling("stones")
        assert str(task.step().doing) == "Enrol: stones"
        await until(lambda: str(task.step().now) == "Lay this alone on the mat, face up: crown.")
        assert camera.out
        task.choose([str(text) for text in task.step().choices].index("Stop"))
        await until(lambda: str(task.step().now) == "stones: nothing is enrolled.")
        task.choose(0)
        await until(lambda: task.over)
        await until(lambda: not camera.out)

    living(tmp_path, scenario, camera=camera, optics=Recording(path=pictures))


STUBBORN = """
import os, pathlib, sys, time
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(60)
"""


def test_a_task_that_is_left_keeps_the_camera_until_its_process_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera, note = Lent(), tmp_path / "pid"
    monkeypatch.setattr("device.daemon.maintenance.command", lambda *_: (sys.executable, "-c", STUBBORN, str(note)))
    monkeypatch.setattr("device.daemon.jobs.QUIT_S", 4 * ROUND_S)

    async def scenario(context: House) -> None:
        task = context.maintenance.enrolling("stones")
        assert isinstance(task, Work)
        await until(note.exists)
        await until(note.read_text)
        task.shown = True  # and the owner sees another task
        context.maintenance.wake()
        await until(lambda: not camera.out)
        with pytest.raises(ProcessLookupError):
            os.kill(int(note.read_text()), 0)

    living(tmp_path, scenario, camera=camera, optics=Recording(path=tmp_path))


@pytest.mark.thorough
def test_who_goes_back_from_the_picture_leaves_the_camera_and_finds_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera, sees = Lent(), Sees()
    sees.newest = Picture(1, b"what the camera sees", ())
    monkeypatch.setattr("device.daemon.maintenance.CameraPreview", lambda *_given: sees)

    async def scenario(context: House) -> None:
        page = await owner(context)
        choose(page, "English")
        await goes_to(page, "Sheets to print")
        for times, away, where in ((1, "Back", "Sheets to print"), (2, "Later", "Table settings")):
            choose(page, "Continue")
            await until(lambda: page.step["picture"])
            choose(page, away)
            await goes_to(page, where)
            await until(lambda: not camera.out)
            assert camera.times == times
        await asyncio.sleep(1.0)  # nobody taps faster
        choose(page, "The camera's picture")
        await until(lambda: page.step["picture"])
        choose(page, "Continue")
        await goes_to(page, "Table settings")
        await until(lambda: not camera.out)
        choose(page, "The table's language")
        await goes_to(page, "The table's language")
        choose(page, "Русский")
        await until(lambda: context.referee.core.session.language == "ru")
        context.referee.give(LanguageChosen(context.referee.clock.now(), "en"))
        await until(lambda: context.maintenance.language == "en")

    living(tmp_path, scenario, camera=camera)


def test_what_the_owner_sets_is_kept_for_the_next_start(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        page = await owner(context)
        choose(page, "Later")
        await goes_to(page, "Table settings")
        choose(page, "Settings")
        await goes_to(page, "Settings")
        assert page.step["choices"] == [
            "The table's name: none yet",
            "Matches are kept: for ever",
            "Back",
        ], "it has neither displays nor a camera"
        for line in ("The table's name: none yet", "P Q R S T", "T", "Done"):
            await until(lambda line=line: line in page.step["choices"])
            choose(page, line)
        await until(lambda: "The table's name: T" in page.step["choices"])

    living(tmp_path, scenario)
    assert json.loads((tmp_path / KEPT).read_text()) == {"name": "T"}


def test_a_name_is_removed_from_matches_and_offers_while_the_referee_runs(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        context.journal.add((Start(0.0, "tellstones", {}, ("a", "b"), 7),), About(names={"a": "Ännchen", "b": "Ben"}))
        page = await owner(context)
        choose(page, "Later")
        await goes_to(page, "Table settings")
        for line in ("Remove a person's name", "Ännchen", "Yes, remove the name"):
            await until(lambda line=line: line in page.step["choices"])
            choose(page, line)
        await until(lambda: "The name has been removed" in page.step["now"])
        assert context.journal.about(1).names == {"b": "Ben"}
        choose(page, "Continue")
        await until(lambda: page.step["choices"] == ["Ben", "Back"])

    living(tmp_path, scenario)
    assert "Ännchen".encode() not in b"".join(each.read_bytes() for each in tmp_path.glob("journal.db*"))
