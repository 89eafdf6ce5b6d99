"""A queue of all pages' requests, processed in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.text import say
from referee_simulator.panel.messages import Message
from referee_simulator.panel.page_actions import Forbidden, Hand
from referee_simulator.panel.stage import Stage
from referee_simulator.table.virtual import Refused

Peeked = tuple[int, str]
"""A piece's number and hidden kind."""

MENDED = say("The virtual table made an error. It was reset, and the match continues.")


class Requests:
    """The queue; each page waits for its answer before the next request."""

    def __init__(self, stage: Stage, worked: Callable[[], None]) -> None:
        """worked: called before each request."""
        self._stage, self._worked = stage, worked
        self._asked: asyncio.Queue[tuple[Hand, Message, asyncio.Future[Peeked | None]]] = asyncio.Queue()

    async def ask(self, hand: Hand, message: Message) -> Peeked | None:
        """Process a request in turn; only a peek has an answer. Raises KeyError, Forbidden or Refused."""
        answer: asyncio.Future[Peeked | None] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait((hand, message, answer))
        return await answer

    async def run(self) -> None:
        while True:
            hand, message, answer = await self._asked.get()
            if not answer.done():  # its page is still there
                self._obey(hand, message, answer)

    def _obey(self, hand: Hand, message: Message, answer: asyncio.Future[Peeked | None]) -> None:
        self._worked()
        with self._stage.mending():
            try:
                answer.set_result(hand.obey(message))
            except (KeyError, Forbidden, Refused) as error:
                answer.set_exception(error)
        if not answer.done():
            answer.set_exception(Refused(MENDED))
