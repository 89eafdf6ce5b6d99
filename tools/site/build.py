"""Builds the docs site: `python -m tools.site.build [FOLDER]`, by default into var/site.

The pages stay where people read them in the repository. The site is made of a copy with the same paths, so that a link
that holds there holds here. It holds every page that git tracks, and the files that a page links to. A dead link, a
missing anchor, and a page that the navigation leaves out are errors.

The first page has a button that opens the table in a tab (tools/tab.py). Where npm cannot fetch what that needs, the
site is built without it; in CI that is an error.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import tomli_w

from tools import browser_python, tab

ROOT = Path(__file__).parents[2]
SETTINGS = Path(__file__).with_name("zensical.toml")
FRONT = "README.md"
PLAY = '<p><a class="md-button md-button--primary" href="play/index.html">Play in this browser</a></p>\n\n'
TITLE = "# Table referee\n\n"
LINK = re.compile(r"\]\(([^)#\s]+)")


def copy_pages(folder: Path) -> set[str]:
    """Copy the pages and what they link to; return the pages' paths."""
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    pages = set(filter(None, listed.stdout.split("\0")))
    for page in sorted(pages):
        text = (ROOT / page).read_text()
        linked = {(ROOT / page).parent / link for link in LINK.findall(text) if "://" not in link}
        for source in [ROOT / page, *(each.resolve() for each in linked)]:
            if source.is_file():
                target = folder / source.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    return pages


def main() -> int:
    """Build the site and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "var/site")
    folder = parser.parse_args().folder.resolve()
    settings = tomllib.loads(SETTINGS.read_text())
    with tempfile.TemporaryDirectory(prefix="table-referee-") as name:
        work = Path(name)
        pages = copy_pages(work / "pages")
        try:
            tab.build(work / "play")
            front = work / "pages" / FRONT
            front.write_text(front.read_text().replace(TITLE, TITLE + PLAY, 1))
        except browser_python.Unfetched as error:
            print(f"the site has no table to play at: {error}", file=sys.stderr)
            if os.environ.get("CI"):
                return 1
        settings["project"] |= {"docs_dir": "pages", "site_dir": "site"}
        (work / "zensical.toml").write_text(tomli_w.dumps(settings))
        done = subprocess.run([sys.executable, "-m", "zensical", "build", "--strict"], cwd=work, check=False)
        if done.returncode:
            return done.returncode
        if left_out := sorted(page for page in pages if f'"{page}"' not in SETTINGS.read_text()):
            print(f"{SETTINGS.relative_to(ROOT)} leaves out {', '.join(left_out)}", file=sys.stderr)
            return 1
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(work / "site", folder)
        if (work / "play").exists():
            shutil.copytree(work / "play", folder / "play")
    print(f"the docs site is in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
