"""One queue for what all pages of a table ask: it is done one by one, in the order in which it came."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.text import say
from referee_simulator.panel.hand import Forbidden, Hand
from referee_simulator.panel.messages import Message
from referee_simulator.panel.stage import Stage
from referee_simulator.table.virtual import Refused

Peeked = tuple[int, str]
"""A piece's number, and what its hidden side shows."""

MENDED = say("The virtual table made an error. It was reset, and the match continues.")


class Requests:
    """A page has at most one request in the queue: it waits for the answer before it asks for more."""

    def __init__(self, stage: Stage, worked: Callable[[], None]) -> None:
        """worked: called before each request is done."""
        self._stage, self._worked = stage, worked
        self._asked: asyncio.Queue[tuple[Hand, Message, asyncio.Future[Peeked | None]]] = asyncio.Queue()

    async def ask(self, hand: Hand, message: Message) -> Peeked | None:
        """Has it done in its turn; the answer is that to a peek.

        Raises KeyError or Forbidden for what nobody, or not this page, may ask; Refused for what cannot be done now.
        """
        answer: asyncio.Future[Peeked | None] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait((hand, message, answer))
        return await answer

    async def run(self) -> None:
        """Run until cancelled."""
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
