"""What a table loads: `python -m tools.loaded [--json]` counts the modules and lines of daemon and camera worker.

Both are imported as at a table with displays, a camera and all games, each game made ready for a match. Libraries do
not count.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

LOAD = """
import json, sys
from pathlib import Path
import device, device.daemon.service, device.displays.oled, vision.worker
from device.daemon import assembly
from device.settings import load, template
assembly.session_table(load(template("two-seats")))
root = Path(device.__file__).parents[1]
files = {
    Path(each.__file__) for name, each in tuple(sys.modules.items())
    if name.partition(".")[0] in ("engine", "vision", "device") and getattr(each, "__file__", None)
}
lines = sum(path.read_text(encoding="utf-8").count("\\n") for path in files)
print(json.dumps({"modules": len(files), "lines": lines}))
"""


def count_loaded() -> dict[str, int]:
    """Return the number of modules and of their lines."""
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description="Count what the daemon of a table and its camera worker import.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given, found = parser.parse_args(), count_loaded()
    print(json.dumps(found) if given.json else "{modules} modules, {lines:,} lines".format(**found))


if __name__ == "__main__":
    main()
