"""`python -m device.privileged_helper`, as referee-steward.service starts it: over the socket that systemd opened."""

from __future__ import annotations

import asyncio
import logging
import pwd
import sys

from device.privileged_helper.serving import PrivilegedHelper
from device.web.serving import inherited

USER = "referee"
"""The daemon's user (tools/package/debian/sysusers.conf): nobody else is heard."""


def main() -> int:
    """Serves until nobody asks any more."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    listeners = inherited()
    if len(listeners) != 1:
        sys.stderr.write("the steward is started by referee-steward.socket\n")
        return 2
    asyncio.run(PrivilegedHelper(pwd.getpwnam(USER).pw_uid).serve(listeners[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
