"""The herald's bounded memory of what it may have to publish again.

A broker or archive may lose messages, so each connection repeats what nobody has read, the running match, and
matches whose last link was read shortly before the broker went. Earlier ones, repeated by all tables at once, would
exceed what a broker stores. The table repeats its running match to each new connection."""

from __future__ import annotations

from collections import OrderedDict, deque
from itertools import islice
from typing import NamedTuple

from referee_record.herald import topics

BYTES = 4 << 20
"""Stored links, about ten thousand; the oldest go first."""

GLANCES = 64
"""Moments of a delay for which the newest glance is stored."""

AGAIN_S = 300.0
"""Seconds of broker uptime after a match's last link was read, until which it is repeated. A broker saves each minute
(config/broker)."""

ENDED = 64
"""Earlier matches whose final glance is stored."""

UNREAD_S = 2.0
"""Seconds for which unread links and results wait: an archive may return later than its broker."""


class Message(NamedTuple):
    """A message to publish."""

    topic: str
    payload: bytes
    retain: bool


class _Link(NamedTuple):
    """A stored link. number: of all links heard, from 0. at: when heard (herald's clock, s)."""

    number: int
    at: float
    match: str
    topic: str
    payload: bytes


class _Kept(NamedTuple):
    """A stored match. last: its last link's number. read: broker uptime (s) when one of its links was last read for
    the first time."""

    last: int
    read: float = 0.0


class _Glance(NamedTuple):
    """A stored glance. at: when heard."""

    at: float
    payload: bytes
    match: str
    result: str


class Memory:
    """The publisher's memory of one table.

    table: its name at the broker
    delay_s: for everything of a match"""

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
        """Number of stored links."""
        return len(self._links)

    # What comes in.

    def link(self, match: str, n: int, payload: bytes, now: float) -> None:
        """Store a new link; drop the oldest beyond BYTES."""
        self._links.append(_Link(self._heard, now, match, topics.link(self._table, match, n), payload))
        self._matches[match] = _Kept(self._heard)
        self._heard += 1
        self._bytes += len(payload)
        while self._bytes > BYTES:
            self._drop()

    def glance(self, payload: bytes, now: float, match: str = "", result: str = "") -> None:
        """Store a glance. With a long delay, it may replace the one before, unless match or result changed; of too many
        the oldest is dropped."""
        self._pass(now)
        new, step = _Glance(now, payload, match, result), self._delay_s / GLANCES
        if len(self._glances) > 1 and now - self._glances[-2].at < step and _same(self._glances[-1], new):
            self._glances.pop()
        elif len(self._glances) > 4 * GLANCES:
            self._glances.popleft()
        self._glances.append(new)

    def lasts(self, message: Message) -> bool:
        """Return True if the broker retains the message for late readers; an earlier match's last glance is soon
        replaced."""
        return message.retain and not (self._unsaid and message.payload is self._unsaid[0])

    def present(self, present: bool) -> None:
        """Note whether the table is heard."""
        self._present = present

    # What goes out.

    def again(self, now: float) -> None:
        """Mark for repetition what the broker may have lost; drop links of matches read long ago."""
        while self._links and self._is_kept_elsewhere(self._links[0].match):
            self._drop()
        self._there_at = now
        self._next, self._told_present, self._shown = 0, not self._present, not self._newest.payload
        self._held_until = self._unsaid_until = 0.0
        self._unsaid.clear()
        self._unsaid.extend(self._ended.values())

    def next(self, now: float) -> Message | None:
        """Return the next due message; it stays until `note_sent`. None if nothing is due."""
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

    def note_sent(self, message: Message, now: float, *, read: bool = True) -> None:
        """Note that the broker has this message. read: a reader has it too."""
        self._is_there(now)
        if message.topic == topics.alive(self._table):
            self._told_present = message.payload == topics.ALIVE
        elif self._unsaid and message.payload is self._unsaid[0]:
            self._unsaid.popleft()
            self._shown = not self._newest.payload  # it is retained in the newest's place
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
        """Return when the next waiting message is due; None if none waits. Only after `next` has returned None."""
        link = self._link()
        glances = (glance.at + self._delay_s for glance in islice(self._glances, 1))
        unsaid = (self._unsaid_until for _ in islice(self._unsaid, 1))
        return min((*glances, *unsaid, *(() if link is None else (self._due(link),))), default=None)

    def unread(self, message: Message, now: float) -> None:
        """Repeat a link or result later, as nobody reads it now."""
        self._is_there(now)
        if message.retain:  # links may have other readers
            self._unsaid_until, self._shown = now + UNREAD_S, not self._newest.payload
        else:
            self._held_until = now + UNREAD_S

    def _due(self, link: _Link) -> float:
        return max(link.at + self._delay_s, self._held_until)

    def _is_there(self, now: float) -> None:
        """Add to the broker's uptime."""
        self._there_s += now - self._there_at
        self._there_at = now

    def _is_kept_elsewhere(self, match: str) -> bool:
        """Return True if another match followed and the last link was read long enough ago."""
        kept = self._matches[match]
        return match != self._links[-1].match and kept.last < self._read and self._there_s - kept.read >= AGAIN_S

    def _drop(self) -> None:
        """Drop the oldest link."""
        link = self._links.popleft()
        self._bytes -= len(link.payload)
        if link.number == self._matches[link.match].last:
            del self._matches[link.match]

    def _link(self) -> _Link | None:
        """Return the first link not yet published on this connection; None without one."""
        if not self._links or self._next >= self._heard:
            return None
        return self._links[max(0, self._next - self._links[0].number)]

    def _pass(self, now: float) -> None:
        """Replace earlier glances by the newest due one, except for each match's last."""
        while self._glances and self._glances[0].at + self._delay_s <= now:
            last, self._newest = self._newest, self._glances.popleft()
            if last.match and last.match != self._newest.match:
                self._ended[last.match] = last.payload
                if len(self._ended) > ENDED:
                    self._ended.popitem(last=False)
                if not (self._shown and self._seen):  # absent readers find the next in its place
                    self._unsaid.append(last.payload)
            self._ended.pop(self._newest.match, None)
            self._shown = self._seen = False


def _same(one: _Glance, other: _Glance) -> bool:
    return (one.match, one.result) == (other.match, other.result)
