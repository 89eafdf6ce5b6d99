"""Growth of a club's archive with each match: `python -m extensions.club.tests.bench.bench_archive --json`.

Of each game matches at random of 200 links, which is long, as a table says them: take-backs and corrections among them.
grown: bytes of the file for each, once all but the last are packed (aim: 20 KB); packed: of its links alone. most: of
the file if nothing were ever taken back, so that no two looks of the board were the same.
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import tempfile
from pathlib import Path
from random import Random

import msgspec

from referee_club.archive import Archive
from referee_club.compression import pack_lines
from referee_record.public_entries import EACH, FORMAT, Opening, Signed
from referee_record.stream import Signer
from tools.tampering import GAMES, load_game, make_honest

LINKS, MATCHES = 200, 12


def measure() -> dict[str, dict[str, int]]:
    """By game. Takes some ten seconds."""
    return {name: _of(name) for name in GAMES}


def _of(name: str) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "club.db"
        empty = _filled(path, name, range(1))
        grown = (_filled(path, name, range(1, MATCHES + 1)) - empty) / MATCHES
        archive = Archive(path)
        (small,) = archive.connection.execute("SELECT avg(length(packed)) FROM match WHERE links > 1").fetchone()
        archive.close()
    return {"links": LINKS, "grown": round(grown), "packed": round(small), "most": round(grown - small + _most(name))}


def _most(name: str) -> int:
    """Bytes of the links of a match in which all hashes differ."""
    links = _links(name, "0" * 32)
    kept = (Signed(link.body) if n % EACH else link for n, link in enumerate(links[1:], 1))
    rest = (msgspec.json.encode(each) for each in kept)
    return len(pack_lines([msgspec.json.encode(links[0]), *(_VIEW.sub(_another, line) for line in rest)]))


_VIEW = re.compile(rb'(?<="view":")[0-9a-f]{64}')


def _another(_: re.Match[bytes]) -> bytes:
    return secrets.token_hex(32).encode()


def _filled(path: Path, name: str, numbers: range) -> int:
    """The file's bytes with these matches more, and after them the opening of the next one."""
    archive = Archive(path)
    for number in numbers:
        match = f"{number:032x}"
        for n, link in enumerate(_links(name, match)):
            archive.take_link("table", match, n, link)
    following = f"{numbers.stop:032x}"
    archive.take_link("table", following, 0, next(iter(_links(name, following))))
    archive.close()
    return path.stat().st_size


def _links(name: str, match: str) -> list[Signed]:
    """Return a match of that identity; it is the same match every time."""
    found = make_honest(load_game(name), Random(f"archive/{name}/{match}"), FORMAT, LINKS)
    first, *rest = found.bodies[:LINKS]
    assert isinstance(first, Opening)
    assert len(found.entries) > LINKS, f"{name} {match} ended early: what is measured would not be of {LINKS} links"
    signer = Signer(found.key, FORMAT)
    return [signer.sign(body) for body in (msgspec.structs.replace(first, match=match), *rest)]


def main() -> None:
    asked = argparse.ArgumentParser(
        prog="python -m extensions.club.tests.bench.bench_archive", description=__doc__.split("\n", 1)[0]
    )
    asked.add_argument("--json", action="store_true", help="one JSON object, by game")
    given, found = asked.parse_args(), measure()
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, figures in found.items():
        print(f"{name:12} {figures['grown']:6} bytes a match of {figures['links']} links")


if __name__ == "__main__":
    main()
