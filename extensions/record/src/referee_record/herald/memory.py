"""What the herald has to say: it forgets nothing that it may have to say again, within limits, and tells nothing early.

A broker or an archive may have lost what it was told, so at every connection it is said again: all that nobody has read
yet, the match under way, and the matches whose last link was read not long before the broker was gone. Of those before,
the archive has what it can have: said again by all tables of a club at once they would be more than a broker keeps for
it. What is more than the limits is gone from here; the table says the match under way anew to who connects to it.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from itertools import islice
from typing import NamedTuple

from referee_record.herald import topics

BYTES = 4 << 20
"""Of links that are kept: some ten thousand; of more the oldest go."""

GLANCES = 64
"""So many moments of a delay glances are kept for; between two the newest counts."""

AGAIN_S = 300.0
"""So long the broker has to have been there since a match's last link was read; until then it is said again. One that
is cut off forgets what came since it saved last (config/broker: a minute), and saves nothing while it is away."""

ENDED = 64
"""Of so many matches before the newest it is kept how they looked last; of more the oldest go."""

UNREAD_S = 2.0
"""So long links, and how matches ended, are held back when nobody reads them: an archive may come back later than its
broker."""


class Message(NamedTuple):
    """What is to be published."""

    topic: str
    payload: bytes
    retain: bool


class _Link(NamedTuple):
    """number: of all that were heard, from 0. at: when it was heard, in seconds of the herald's clock."""

    number: int
    at: float
    match: str
    topic: str
    payload: bytes


class _Kept(NamedTuple):
    """A match of which links are kept. last: the number of its last one; read: how long the broker had been there when
    the last was read that was not before."""

    last: int
    read: float = 0.0


class _Glance(NamedTuple):
    """at: when it was heard. match, result: as it says them; only with these its names and results are known."""

    at: float
    payload: bytes
    match: str
    result: str


class Memory:
    """What one table said. table: its name at the broker. delay_s: so long everything of a match waits here."""

    def __init__(self, table: str, delay_s: float) -> None:
        self._table, self._delay_s = table, delay_s
        self._links: deque[_Link] = deque()
        self._bytes = self._heard = self._next = self._read = 0
        self._matches: dict[str, _Kept] = {}
        self._there_s = self._there_at = 0.0
        self._glances: deque[_Glance] = deque()
        self._newest, self._shown, self._seen = _Glance(0.0, b"", "", ""), True, True
        self._held_until = 0.0
        self._unsaid_until = 0.0
        self._ended: OrderedDict[str, bytes] = OrderedDict()
        self._unsaid: deque[bytes] = deque(maxlen=ENDED)
        self._present, self._told_present = False, False

    @property
    def links(self) -> int:
        """Return how many links are stored."""
        return len(self._links)

    # What comes in.

    def link(self, match: str, n: int, payload: bytes, now: float) -> None:
        """A link that was not heard before."""
        self._links.append(_Link(self._heard, now, match, topics.link(self._table, match, n), payload))
        self._matches[match] = _Kept(self._heard)
        self._heard += 1
        self._bytes += len(payload)
        while self._bytes > BYTES:
            self._drop()

    def glance(self, payload: bytes, now: float, match: str = "", result: str = "") -> None:
        """Store how the table looks now. match, result: as it says them. With a long delay only the last glance before
        a change of either is kept."""
        self._pass(now)
        new, step = _Glance(now, payload, match, result), self._delay_s / GLANCES
        if len(self._glances) > 1 and now - self._glances[-2].at < step and _same(self._glances[-1], new):
            self._glances.pop()
        elif len(self._glances) > 4 * GLANCES:
            self._glances.popleft()
        self._glances.append(new)

    def lasts(self, message: Message) -> bool:
        """Return True if the broker retains the message for late readers."""
        return message.retain and not (self._unsaid and message.payload is self._unsaid[0])

    def present(self, present: bool) -> None:
        """Note whether the table is heard."""
        self._present = present

    # What goes out.

    def again(self, now: float) -> None:
        """The broker is there anew: everything that it may have lost is to be said again."""
        while self._links and self._is_kept_elsewhere(self._links[0].match):
            self._drop()
        self._there_at = now
        self._next, self._told_present, self._shown = 0, not self._present, not self._newest.payload
        self._held_until = self._unsaid_until = 0.0
        self._unsaid.clear()
        self._unsaid.extend(self._ended.values())

    def next(self, now: float) -> Message | None:
        """Return the next message that is due, until `sent` removes it; None if none is."""
        if self._present != self._told_present:
            return Message(topics.alive(self._table), topics.ALIVE if self._present else topics.GONE, retain=True)
        self._pass(now)
        if self._unsaid and self._unsaid_until <= now:
            return Message(topics.glance(self._table), self._unsaid[0], retain=True)
        if not self._shown:
            return Message(topics.glance(self._table), self._newest.payload, retain=True)
        link = self._link()
        if link is not None and self._due(link) <= now:
            return Message(link.topic, link.payload, retain=False)
        return None

    def sent(self, message: Message, now: float, *, read: bool = True) -> None:
        """The broker has it; read: for a reader, too. What changed meanwhile is still due."""
        self._is_there(now)
        if message.topic == topics.alive(self._table):
            self._told_present = message.payload == topics.ALIVE
        elif self._unsaid and message.payload is self._unsaid[0]:
            self._unsaid.popleft()
            self._shown = not self._newest.payload  # it stands retained where the newest has to
        elif message.retain:
            self._shown, self._seen = message.payload is self._newest.payload, read
        else:
            link = self._link()
            if link is not None and link.payload is message.payload:
                self._next = link.number + 1
                if self._next > self._read:
                    self._read = self._next
                    self._matches[link.match] = self._matches[link.match]._replace(read=self._there_s)

    def due(self) -> float | None:
        """Return when the next message is due, if none is now."""
        link = self._link()
        glances = (glance.at + self._delay_s for glance in islice(self._glances, 1))
        unsaid = (self._unsaid_until for _ in islice(self._unsaid, 1))
        return min((*glances, *unsaid, *(() if link is None else (self._due(link),))), default=None)

    def unread(self, message: Message, now: float) -> None:
        """Nobody reads a link, or how a match ended, which no retained glance will say: it is said again later."""
        self._is_there(now)
        if message.retain:  # links may have other readers
            self._unsaid_until, self._shown = now + UNREAD_S, not self._newest.payload
        else:
            self._held_until = now + UNREAD_S

    def _due(self, link: _Link) -> float:
        return max(link.at + self._delay_s, self._held_until)

    def _is_there(self, now: float) -> None:
        """The broker has been there since this was known last, or since the connection began. How long it was away, and
        how long nobody noticed, does not count."""
        self._there_s += now - self._there_at
        self._there_at = now

    def _is_kept_elsewhere(self, match: str) -> bool:
        """Return True if another match followed, and the broker has been there so long since the last link was read
        that nobody loses it."""
        kept = self._matches[match]
        return match != self._links[-1].match and kept.last < self._read and self._there_s - kept.read >= AGAIN_S

    def _drop(self) -> None:
        """The oldest link."""
        link = self._links.popleft()
        self._bytes -= len(link.payload)
        if link.number == self._matches[link.match].last:
            del self._matches[link.match]

    def _link(self) -> _Link | None:
        """The first that was not said on this connection."""
        if not self._links or self._next >= self._heard:
            return None
        return self._links[max(0, self._next - self._links[0].number)]

    def _pass(self, now: float) -> None:
        """The newest glance that is due takes the place of those before, but for how each match looked last."""
        while self._glances and self._glances[0].at + self._delay_s <= now:
            last, self._newest = self._newest, self._glances.popleft()
            if last.match and last.match != self._newest.match:
                self._ended[last.match] = last.payload
                if len(self._ended) > ENDED:
                    self._ended.popitem(last=False)
                if not (self._shown and self._seen):  # who was not there to read it finds the next in its place
                    self._unsaid.append(last.payload)
            self._ended.pop(self._newest.match, None)
            self._shown = self._seen = False


def _same(one: _Glance, other: _Glance) -> bool:
    """Return True if both say the same of the match."""
    return (one.match, one.result) == (other.match, other.result)
