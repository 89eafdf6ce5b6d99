"""Topics at the broker to which a table's herald writes: the contract with its readers.

All are below `referee/v1/NAME/`, where nobody else may write. NAME is the common name of the table's certificate. QoS
is 1, so messages may come twice.

    alive              retained: "1" while the herald hears the table, else "0", also as its last will
    glance             retained: the newest `referee_record.public_frames.Glance`, as JSON; unsigned
    match/MATCH/N      one `referee_record.public_entries.Signed`, as JSON, of that match. N: 0 is the opening,
                       then one per link. Not retained: each connection repeats in order what may be lost
                       (`memory.py`). Readers drop what they have by (MATCH, N), and check the rest by the table's key.
                       If the receipt says that nobody reads, it is held back until somebody does. An archive also
                       lets the broker keep its session (Session Expiry Interval).
"""

from __future__ import annotations

ROOT = "referee/v1"
ALIVE, GONE = b"1", b"0"

SHOWN, LINKS = (f"{ROOT}/+/alive", f"{ROOT}/+/glance"), f"{ROOT}/+/match/+/+"
"""Topics that the club's host reads, retained and not."""

LONGEST_NAME = 64
"""Characters of a common name (RFC 5280, ub-common-name)."""


def alive(table: str) -> str:
    return f"{ROOT}/{table}/alive"


def glance(table: str) -> str:
    return f"{ROOT}/{table}/glance"


def link(table: str, match: str, n: int) -> str:
    return f"{ROOT}/{table}/match/{match}/{n}"


def is_name(table: str) -> bool:
    """Return True for a valid table name: one topic level without wildcards (MQTT 5, 4.7.1)."""
    return 0 < len(table) <= LONGEST_NAME and table.isprintable() and not set(table) & set("/+#")
