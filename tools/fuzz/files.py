"""The readers of outer files: each is given a mutated file in the place of a good one, and used as the program does."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

import cv2
import msgspec
import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from device import art, games, locale, resources
from device.cli import records
from device.daemon import assembly, safe_mode
from device.journal.match_info import About, Ending
from device.journal.opening import open_at_power_on
from device.printing import pieces
from device.screens import canvas, fonts
from device.session.table import KnownGame
from device.settings import load, template
from engine.catalogue import complete
from engine.deck import Deck
from engine.entry import Start
from engine.planetx.draw import draw_game
from engine.planetx.inspection import check, game_data, read_games
from engine.planetx.sky import STANDARD
from engine.text import Text, say
from referee_record import signed_record as signed
from referee_record.signed_record import export
from referee_record.table_key import TableKey
from referee_record.verification import verify
from referee_simulator.table import scenes, setting
from tools import tampering
from tools.fuzz.judge import Target
from vision import pictures
from vision.camera import Image
from vision.files import read_bytes
from vision.recognition import enrolment
from vision.recognition.cache import worked_out
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.index import INDEX
from vision.registration.lens import LARGEST, load_lens, save_lens, typical_lens

TABLES = ("one-oled", "two-seats", "four-seats", "simulated")
PICTURES = (".png", ".jpg", ".bmp", ".webp", ".tiff", ".ppm", ".gif")
DECODED_KB = 3 * pictures.MOST_PIXELS // 1000
"""A picture of the largest size that is read."""

CARDS = {"fence": "decks/fence.toml", "runes": "decks/decktet.toml", "planetx": "decks/planetx.toml"}
"""Data of games, in the place of which an owner may put others."""

SENTENCES = (say("Yes"), say("{clause}: {text}", clause="T1", text=say("No")), Text("line"))


@contextmanager
def targets(folder: Path) -> Iterator[tuple[Target, ...]]:
    """Every reader; `folder` is theirs."""
    yield (
        *_owner_targets(folder / "owned"),
        *_command_targets(folder / "given"),
        *_kept_targets(folder / "kept"),
        *_shipped_targets(folder / "config"),
    )


def _at(path: Path, use: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Puts a case into the file and uses that."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def feed(data: bytes) -> object:
        path.write_bytes(data)
        return use(path)

    return feed


def _owner_targets(folder: Path) -> Iterator[Target]:
    """What an owner may write: the table, and cards in the place of the shipped ones."""
    tables = [template(name).read_bytes() for name in TABLES]
    yield Target("table", tables, _at(folder / "table.toml", _table))
    for name, file in CARDS.items():
        sample = resources.resource(file).read_bytes()
        yield Target(f"cards of {name}", [sample], _at(folder / name / file, _cards(name, folder / name)))


def _table(path: Path) -> None:
    settings = load(path)
    assembly.camera_spec(settings)
    assembly.enrolled_folders(settings)
    assembly.displays(settings)


def _cards(name: str, own: Path) -> Callable[[Path], None]:
    """The game with an owner's data, and all that a table asks of it before a match."""
    spec = games.spec(name)

    def use(_path: Path) -> None:
        known = KnownGame(spec, *games.build(spec, own))
        if known.deck is not None:
            _show_pages(known.deck)
        options = dict(complete(spec.options, {}))
        laid = spec.table(options)
        start = Start(
            0.0, name, options, ("a", "b", "c", "d")[: laid.seats[0] if laid else 2], 7, deck=known.corrections
        )
        playing = known.playing(start)
        state = playing.game.setup(start.options, start.seats, start.seed)
        playing.game.layout(state)
        playing.game.view(state, None)

    return use


def _show_pages(deck: Deck) -> None:
    """All that the pages of the cards show."""
    for copy in deck.copies():
        deck.numbers(copy.id)
    deck.faults(), deck.sizes(), deck.data(), deck.toml()


def _command_targets(folder: Path) -> Iterator[Target]:
    """What commands are given."""
    record = b'[Game "tellstones"]\n[Seats "a b"]\n[Seed "42"]\n[Options "first_stone=scales"]\n\na: place crown left\n'
    record += b"b: place sword right\na: hide crown\nb: swap 1 sword\ntable: pause\ntable: resume\na: resign\n"
    evening = b'[Record "public"]\n[Evening "kind=series players=2 seated=1-2 to=2"]\n[Played "2-1/1/"]\n'
    public = evening + b'[Game "runes"]\n[Seats "a b"]\n[Seed "secret"]\n[Result "A wins."]\n\n; 1.5 A lays a card.\n'
    public += b'table: board {"turn": 1, "outcome": {"winners": ["a"], "text": "A wins."}}\n'
    yield Target("record", [record, public + b"\n" + evening + record], _at(folder / "match.txt", _record))
    yield Target("signed record", [_signed_record()], _at(folder / "match.signed", _verify))
    drawn = game_data(draw_game(STANDARD, "AKTWE"), lambda text: {"en": str(text)})
    yield Target("games of Planet X", [msgspec.json.encode([drawn])], _at(folder / "games.json", _check))
    for suffix in PICTURES:
        coded, data = cv2.imencode(suffix, _face(3)) if suffix != ".gif" else (False, np.zeros(0, np.uint8))
        if coded:
            path = folder / "pictures" / f"a{suffix}"
            yield Target(f"picture {suffix}", [data.tobytes()], _at(path, _unheard(pictures.read)), room_kb=DECODED_KB)


def _unheard(use: Callable[[Path], object]) -> Callable[[Path], object]:
    """Decoders of pictures write to standard error by themselves."""

    def quiet(path: Path) -> object:
        usual, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        try:
            return use(path)
        finally:
            os.dup2(usual, 2)
            os.close(usual)
            os.close(nowhere)

    return quiet


def _record(path: Path) -> None:
    for record in records.read(path):
        if record.sealed and record.public:
            records.decode_about(path, record)
            continue
        game = records.game_of(path, record)
        for line in records.play_lines(path, game, record):
            game.view(line.match.state, None)


def _signed_record() -> bytes:
    """Without a commitment, so that what is changed in the entries is played."""
    game, key = tampering.load_game("tellstones"), TableKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    entries = tampering.play_match(game, Random(7))
    about = About("7" * 32, ended=Ending(None, False, "", (), 60.0))
    return signed.encode_record(export(game, entries, about, key, tampering.PROGRAM, reveal=True))


def _verify(path: Path) -> object:
    found = signed.read(read_bytes(path, limit=signed.LONGEST))
    return verify(found, records.find_game(found.opening.game), tampering.PROGRAM)


def _check(path: Path) -> object:
    return check(read_games(read_bytes(path)))


def _kept_targets(folder: Path) -> Iterator[Target]:
    """What the program wrote in an earlier start."""
    lens = folder / "lens.json"
    lens.parent.mkdir(parents=True)
    save_lens(typical_lens(1280, 720, -0.1), lens)
    yield Target("lens", [lens.read_bytes()], _at(lens, _lens))
    yield Target(
        "starts", [b'{"starts": [1.5, 2.5, 3.5], "failed": [2.5]}'], _at(folder / "run" / "starts.json", _begin)
    )
    yield from _enrolled_targets(folder)
    yield from _journal(folder)


def _lens(path: Path) -> None:
    lens = load_lens(path)
    points = np.array([[0.0, 0.0], [640.0, 360.0], [1280.0, 720.0]])
    lens.distort(lens.undistort(points))
    times = 2 if 2 * max(lens.size) <= LARGEST else 1
    lens.scale(lens.size[0] * times, lens.size[1] * times)


def _begin(path: Path) -> None:
    start = safe_mode.record_start(path.parent, 10.0)
    assert 0.0 <= start.pause_s <= safe_mode.LONGEST_S
    safe_mode.record_ready(path.parent, start)
    safe_mode.clear_failures(path.parent)


def _enrolled_targets(folder: Path) -> Iterator[Target]:
    stored = folder / "enrolled" / "stones"
    enrolment.save(
        EnrolledSet("stones", "any", {kind: (_face(n),) for n, kind in enumerate(("crown", "flag"))}), stored
    )
    index, (picture, *_) = stored / INDEX, sorted(stored.glob("*.png"))
    samples = index.read_bytes(), picture.read_bytes()
    work = {"a": np.arange(12.0), "b": np.zeros((3, 4), np.uint8)}
    worked_out(stored, "fuzz", lambda: work)
    cache = stored / "fuzz.cache"
    found = cache.read_bytes()
    yield Target("worked out", [found], _at(cache, lambda _path: worked_out(stored, "fuzz", lambda: work)))

    def use_and_restore(path: Path, data: bytes) -> Callable[[Path], object]:
        def use(_path: Path) -> object:
            try:
                return enrolment.load(stored)
            finally:
                path.write_bytes(data)

        return use

    yield Target("enrolled", samples[:1], _at(index, use_and_restore(index, samples[0])))
    whole = _unheard(use_and_restore(picture, samples[1]))
    yield Target("enrolled picture", samples[1:], _at(picture, whole), room_kb=DECODED_KB)


def _journal(folder: Path) -> Iterator[Target]:
    path = folder / "journal" / "journal.db"
    path.parent.mkdir()
    with open_at_power_on(path).journal as journal:
        journal.append((Start(0.0, "tellstones", {}, ("a", "b"), 7),))
    found = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}

    def use(_path: Path) -> None:
        with open_at_power_on(path).journal as opened:
            for number in opened.matches():
                opened.about(number)
                opened.rows(number)

    def anew(name: str) -> Callable[[bytes], object]:
        def feed(data: bytes) -> None:
            shutil.rmtree(path.parent)
            path.parent.mkdir()
            for each, whole in found.items():
                (path.parent / each).write_bytes(data if each == name else whole)
            use(path)

        return feed

    for name, whole in found.items():
        if whole:
            yield Target(f"journal: {name}", [whole], anew(name))


def _shipped_targets(folder: Path) -> Iterator[Target]:
    """What the program came with: a dying card spares none of it."""
    for data in reversed(resources.folders()):
        shutil.copytree(data, folder, dirs_exist_ok=True)
    readers: Mapping[str, Callable[[Path], object]] = {
        "games": lambda _path: games.specs(),
        "mats": lambda path: games.mats([path.stem]),
        "sets": lambda path: (
            setting.piece_set(path.stem),
            pieces.has_stone_drawings(path.stem),
            pieces.has_drawings(path.stem),
        ),
        "art": lambda path: (art.drawings(path.stem), art.cards(path.stem)),
        "sim": lambda _path: scenes.load_scenes(),
        "fonts": lambda _path: (fonts.font("ru").getmask("Aя石"), fonts.width("Aя石", "ru"), fonts.characters()),
        "sprites": lambda path: canvas.sprite(path.stem, 22),
        "LC_MESSAGES": lambda path: [locale.translate(text, path.parts[-3]) for text in SENTENCES],
    }
    for kind, use in readers.items():
        path = max((path for path in folder.rglob(f"{kind}/**/*.*") if path.suffix in SUFFIXES), key=_size)
        yield Target(f"shipped {path.relative_to(folder)}", [path.read_bytes()], _in_place(folder, path, use))


def _size(path: Path) -> int:
    return path.stat().st_size


SUFFIXES = frozenset({".toml", ".mo", ".otf", ".txt"})


def _in_place(folder: Path, path: Path, use: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Reads the program's data with one file of them exchanged."""
    whole = path.read_bytes()

    def feed(data: bytes) -> object:
        path.write_bytes(data)
        try:
            with _rooted_at(folder):
                return use(path)
        finally:
            path.write_bytes(whole)

    return feed


@contextmanager
def _rooted_at(folder: Path) -> Iterator[None]:
    """Inside, the program's data are those below a folder, and nothing of others is remembered."""
    usual = resources.root
    users = [module for name, module in sys.modules.items() if name.startswith("device.") and hasattr(module, "root")]
    held = [module for module in users if module.root is usual]
    try:
        for module in held:
            setattr(module, "root", lambda: folder)  # noqa: B010  a module has no such attribute for a type checker
        _forget()
        yield
    finally:
        for module in held:
            setattr(module, "root", usual)  # noqa: B010
        _forget()


def _forget() -> None:
    for module in (locale, fonts, canvas, art):
        for each in vars(module).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


def _face(number: int) -> Image:
    """A small picture with something on it."""
    rng = np.random.default_rng(number)
    image = np.full((48, 48, 3), 200, np.uint8)
    cv2.circle(image, (24, 24), 10 + number, tuple(int(each) for each in rng.integers(0, 255, 3)), -1)
    return image
