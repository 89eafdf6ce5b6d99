"""Runs `python -m device.privileged_helper` on systemd's socket."""

from __future__ import annotations

import asyncio
import logging
import pwd
import sys

from device.privileged_helper.serving import PrivilegedHelper
from device.web.serving import systemd_sockets

USER = "referee"
"""The only user served (tools/package/debian/sysusers.conf)."""


def main() -> int:
    """Serve until idle."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    listeners = systemd_sockets()
    if len(listeners) != 1:
        sys.stderr.write("the steward is started by referee-steward.socket\n")
        return 2
    asyncio.run(PrivilegedHelper(pwd.getpwnam(USER).pw_uid).serve(listeners[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
