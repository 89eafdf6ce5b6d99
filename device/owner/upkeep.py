"""Asks the privileged helper to update, go back, restart or reset."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from device.owner.steps import BACK, GO_ON, TaskStep
from device.privileged_helper.verbs import SOCKET, Answer, Verb, decode_answer
from engine.text import Text, say

LONGEST_ANSWER = 16 * 1024
"""Bytes of a valid line."""


def there(path: Path = SOCKET) -> bool:
    """Return True if the helper is installed here."""
    return path.is_socket()


class HelperJob:
    """A requested verb; call `poll` regularly."""

    def __init__(self, verb: Verb, path: Path = SOCKET) -> None:
        """Send the request; failures appear in the answer."""
        self.answer = Answer(verb, "waiting")
        self._left = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            self._socket.connect(str(path))  # a local socket answers at once, even if its queue is full
            self._socket.sendall(f"{verb}\n".encode())
        except OSError:
            self._end("nobody-there")

    @property
    def over(self) -> bool:
        return self.answer.over

    def poll(self) -> Answer:
        """Read what came; return the newest answer."""
        while not self.over:
            try:
                came = self._socket.recv(4096)
            except BlockingIOError:
                break
            except OSError:
                came = b""
            if not came:
                self._end("broken-off")
                break
            self._take(came)
        if self.over:
            self._socket.close()
        return self.answer

    def close(self) -> None:
        """Stop listening; the job continues."""
        self._socket.close()

    def _take(self, came: bytes) -> None:
        *lines, self._left = (self._left + came).split(b"\n")
        try:
            for line in lines:
                self.answer = decode_answer(line)
        except ValueError:
            self._end("failed")
        if len(self._left) > LONGEST_ANSWER:
            self._end("failed")

    def _end(self, why: str) -> None:
        self.answer = Answer(self.answer.verb, "failed", why=why)


TITLE = say("Update, restart, reset")
YES, NO = say("Yes, do it"), say("No")
AT_THE_TABLE = say("Confirm it with the table's own buttons, under Table settings.")
UNDERWAY = say("In progress. Leave the table switched on.")

ASKED: Mapping[Verb, Text] = {
    "update": say("Install the newest version? If it does not start, this one comes back."),
    "update-unsigned": say(
        "Nobody has signed this version, so anyone may have made it. Install it anyway? If it does not start, this one "
        "comes back."
    ),
    "back": say("Go back to the previous version?"),
    "restart": say("Restart the referee? A match in progress continues where it left off."),
    "reset": say(
        "Delete all matches, pieces, names, phones and the owner? This can't be undone. A used code "
        "on the SD card works again."
    ),
}
STAGES: Mapping[str, Text] = {
    "looking": say("Looking for a newer version."),
    "fetching": say("Looking for a newer version on the internet."),
    "installing": say("Installing the new version."),
    "stopping": say("The referee is stopping."),
    "forgetting": say("The table is being reset."),
    "starting": say("The previous version is starting."),
}
INSTALLED = say("The newer version is installed.")
DONE: Mapping[Verb, Text] = {
    "update": INSTALLED,
    "update-unsigned": INSTALLED,
    "back": say("The previous version is running."),
    "restart": say("The referee has restarted."),
    "reset": say("Everything was deleted."),
}
BAD_SIGNATURE = say(
    "The new version on the SD card is damaged, or someone else signed it. It can't be installed. Download it "
    "again and "
    "copy it to the card."
)
FAILED: Mapping[str, Text] = {
    "unsigned": say(
        "The new version on the SD card isn't signed. To confirm that you want it, choose the update again."
    ),
    "bad-signature": BAD_SIGNATURE,
    "nothing-newer": say("No newer version found. Copy one to the SD card, or connect the table to the internet."),
    "went-back": say("The new version did not start. The previous one is running again."),
    "nothing-before": say("There is no previous version."),
    "busy": say("Another task is running. Try again later."),
}
NOT_DONE = say("That failed. The log says why.")


class Upkeep:
    """Shows the verbs, a confirmation and the result.

    agreed: returns True at the table's buttons. path: the helper's socket.
    """

    def __init__(self, agreed: Callable[[], bool], path: Path = SOCKET) -> None:
        self._agreed, self._path = agreed, path
        self._look = HelperJob("look", path)
        self._asked: Verb | None = None
        self._remarks: tuple[Text, ...] = ()
        self._errand: HelperJob | None = None
        self._left = False

    @property
    def over(self) -> bool:
        return self._left

    def step(self) -> TaskStep:
        if self._errand is not None:
            return self._doing(self._errand.poll())
        if self._asked is not None:
            return TaskStep(TITLE, ASKED[self._asked], remarks=self._remarks, choices=(YES, NO))
        return self._menu(self._look.poll())

    def choose(self, line: int) -> None:
        choices = self.step().choices
        if not 0 <= line < len(choices):
            return
        if self._errand is not None:
            self._errand, self._asked, self._look = None, None, HelperJob("look", self._path)
        elif self._asked is not None:
            self._answer(choices[line] == YES)
        elif choices[line] == BACK:
            self._look.close()
            self._left = True
        else:
            self._asked = next(verb for verb, text in _verbs(self._look.answer) if text == choices[line])

    def _answer(self, yes: bool) -> None:
        asked, self._remarks = self._asked, ()
        if not yes:
            self._asked = None
        elif asked is not None and self._agreed():
            self._errand = HelperJob(asked, self._path)
        else:
            self._remarks = (AT_THE_TABLE,)

    def _menu(self, known: Answer) -> TaskStep:
        if not known.over:
            return TaskStep(TITLE, say("One moment."), choices=(BACK,))
        if known.state != "done":
            return TaskStep(TITLE, FAILED.get(known.why, NOT_DONE), choices=(BACK,))
        now = (
            say("Version {version} is running.", version=_short(known.runs))
            if known.runs
            else say("What would you like to do?")
        )
        return TaskStep(
            TITLE, now, remarks=tuple(_remarks(known)), choices=(*(text for _, text in _verbs(known)), BACK)
        )

    def _doing(self, told: Answer) -> TaskStep:
        if not told.over:
            stage = STAGES.get(told.stage)
            return TaskStep(TITLE, UNDERWAY, seen=stage)
        return TaskStep(TITLE, _outcome(told.verb, told.state, told.why), choices=(GO_ON,))


def _verbs(known: Answer) -> Iterator[tuple[Verb, Text]]:
    newer, before = _short(known.newer), _short(known.before)
    if not newer:
        yield "update", say("Check for updates")
    elif known.signature != "bad":
        verb: Verb = "update" if known.signature == "signed" else "update-unsigned"
        yield verb, say("Update to {version}", version=newer)
    if before:
        yield "back", say("Back to version {version}", version=before)
    yield "restart", say("Restart the referee")
    yield "reset", say("Delete everything")


def _remarks(known: Answer) -> Iterator[Text]:
    if known.signature == "bad":
        yield BAD_SIGNATURE
    for verb, ended in known.ended.items():
        if ended.state == "running":
            yield STAGES.get(ended.stage, UNDERWAY)
        else:
            yield _outcome(verb, ended.state, ended.why)


def _outcome(verb: str, state: str, why: str) -> Text:
    if state == "done":
        return next(text for name, text in DONE.items() if name == verb)
    return FAILED.get(why, NOT_DONE)


def _short(version: str) -> str:
    return version.partition("+")[0]
