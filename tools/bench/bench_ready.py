"""What the service's start costs until it is READY, in millions of instructions: `python -m tools.bench.bench_ready`.

The command that the unit starts, with two displays and a camera, on mock pins; its bytecode is there, as the package
compiles it. `imports`: reading itself in; `dark`: what runs after a kill until the displays are told to go dark.
Counted by valgrind, a minute; aim for `ready`: 1,500.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from device.settings import template
from tools.bench.instructions import count, print_figures

IMPORTS = """
import device.cli, sys
from device.daemon import safe_mode, service
"""
READY = """
import os, sys
os.environ["GPIOZERO_PIN_FACTORY"] = "mock"
from device.cli import main
from device.daemon import systemd_notify
systemd_notify.Watchdog.ready = lambda self: os._exit(0)
sys.argv = ["referee", "run", "--table", FILE]
main()
"""
DARK = """
import sys
sys.argv = ["referee", "dark", FILE]
from device.cli import main
try:
    main()
except SystemExit:
    pass
"""


def measure() -> dict[str, int]:
    """Millions of instructions of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        table, lit = Path(folder) / "table.toml", Path(folder) / "lit"
        shipped = re.sub(r"^(runtime|state)_dir .*$", "", template("two-seats").read_text("utf-8"), flags=re.MULTILINE)
        own = f'runtime_dir = "{folder}/run"\nstate_dir = "{folder}/state"\n'
        table.write_text(own + shipped, encoding="utf-8")
        lit.write_text("i2c /dev/null 60\ni2c /dev/null 61\n", encoding="utf-8")
        found = {}
        for name, code in (
            ("imports", IMPORTS),
            ("ready", READY.replace("FILE", repr(str(table)))),
            ("dark", DARK.replace("FILE", repr(str(lit)))),
        ):
            found[name] = round(count(code, imports=code) / 1e6)
    return found


if __name__ == "__main__":
    print_figures(__doc__, measure)
