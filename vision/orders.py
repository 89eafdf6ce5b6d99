"""What the daemon orders the vision worker to do, as it comes in over their socket."""

from __future__ import annotations

import zmq

from vision.inbox import Inbox
from vision.link import VERSION, ToWorker


class Orders:
    """What the daemon says. `received` counts all that came, also what was dropped."""

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._socket = socket
        self._inbox: Inbox[ToWorker] = Inbox("orders", ToWorker, VERSION)
        self.received = 0

    def waiting(self) -> list[ToWorker]:
        """All messages that have come since the last call."""
        messages: list[ToWorker] = []
        while self._socket.poll(0):
            message = self._inbox.receive(self._socket.recv())
            self.received += 1
            if message is not None:
                messages.append(message)
        return messages
