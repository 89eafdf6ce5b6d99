"""The command line: what it prints, and one clear line with exit code 2 for what it cannot do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from typer.testing import CliRunner

from device import games, resources
from device.bus.endpoints import alone
from device.cli.enrol import PicturesError
from device.journal import Journal
from device.web.serving import PageError
from engine.entry import Act, Settle, Source, Start
from engine.errors import RefereeError
from engine.match import encode, replay
from engine.table import Health
from referee_record.table_key import make_key
from tests.commands import app
from tests.device.cli.refusing import refused
from vision.still_pictures import SeenPicture

ROOT = Path(__file__).parents[3]
RECORD = """[Game "tellstones"]
[Seed "4"]
[First_stone "scales"]

a: place crown left
b: hide crown
a: fly
b: place sword left
a: hide scales
"""


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def failing(*arguments: str) -> str:
    """What a command that fails says on standard error: exactly one line, without a traceback."""
    said = refused(*arguments)
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) == 1, said
    return said


def test_what_fails_is_one_line_and_exit_code_2() -> None:
    """As a shell sees it."""
    code = "from device.cli import main; main()"
    command = [sys.executable, "-c", code, "replay", "none.txt"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("referee: none.txt: is not there")


@pytest.mark.parametrize("words", [("doctor",), ("journal", "list")])
def test_where_json_is_asked_for_a_failure_is_json(words: tuple[str, ...], tmp_path: Path) -> None:
    code = "from device.cli import main; main()"
    command = [sys.executable, "-c", code, *words, "--json", "--table", str(tmp_path / "none.toml")]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "")
    assert json.loads(ended.stdout) == {
        "error": f"{tmp_path / 'none.toml'}: is not there; write one with `referee setup`"
    }


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("doctor", "--json", "--nonsense"), "No such option: --nonsense"),
        (("doctor", "--json", "--table"), "Option '--table' requires an argument."),
        (("journal", "nonsense", "--json"), "No such command 'nonsense'."),
        (("simulate", "--headless", "--json", "--matches", "two"), "Invalid value for '--matches'"),
        (("nonsense", "--json"), "No such command 'nonsense'."),
    ],
)
def test_where_json_is_asked_for_a_command_used_wrongly_says_so_as_json(words: tuple[str, ...], why: str) -> None:
    code = "from device.cli import main; main()"
    command = [sys.executable, "-c", code, *words]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "")
    assert json.loads(ended.stdout)["error"].startswith(why)


@pytest.mark.parametrize("words", [(), ("journal",), ("deck",), ("planetx",)])
def test_commands_without_a_command_print_their_help(words: tuple[str, ...]) -> None:
    assert "Usage:" in run(*words)


def test_a_shell_completes_commands() -> None:
    asks = {**os.environ, "_REFEREE_COMPLETE": "complete_bash", "COMP_WORDS": "referee jour", "COMP_CWORD": "1"}
    code = "import sys; sys.argv = ['referee']; from device.cli import main; main()"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=asks, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["journal"]


def test_ctrl_c_while_the_program_is_being_read_in_ends_it_quietly() -> None:
    code = """
import os, signal, sys
class Impatient:
    def find_spec(self, name, *_):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Impatient())
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job inherits that it is ignored
from device.cli import main
main()
"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "record.txt"
    path.write_text(RECORD, encoding="utf-8")
    return path


def test_replay_prints_a_json_line_a_line_and_goes_on_after_a_refusal(record: Path) -> None:
    rows = [json.loads(line) for line in run("replay", str(record), "--json").splitlines()]
    assert [set(row) for row in rows] == [{"n", "line", "ok", "view", "error"}] * 5
    assert [row["n"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["ok"] for row in rows] == [True, True, False, False, True]
    assert rows[0]["view"]["line"] == ["crown", "scales"]
    assert rows[1]["view"]["line"][0] == "down"
    assert rows[2]["error"]["kind"] == "invalid"
    assert rows[3]["error"]["kind"] == "illegal"
    assert rows[3]["error"]["clauses"]
    assert rows[3]["view"] == rows[1]["view"]


def test_replay_for_people_names_the_clause(record: Path) -> None:
    told = run("replay", str(record))
    assert "illegal (T" in told
    assert "5. a: hide scales" in told


def test_a_record_on_standard_input_is_not_cut_off() -> None:
    found = CliRunner().invoke(app, ["replay", "-"], input="# \n" * 400_000)
    assert "standard input: is longer than 1,000,000 bytes" in str(found.exception) + found.output


def test_a_record_may_end_with_the_mark_of_dos(record: Path) -> None:
    told = run("replay", str(record))
    record.write_bytes(record.read_bytes() + b"\r\n\x1a")
    assert run("replay", str(record)) == told


def test_replay_of_what_is_no_record(tmp_path: Path) -> None:
    assert "is not there" in failing("replay", str(tmp_path / "none.txt"))
    path = tmp_path / "other.txt"
    path.write_text('[Game "chess"]\n\na: e4\n', encoding="utf-8")
    assert "tellstones" in failing("replay", str(path))
    path.write_bytes(b"\xff\xfe\x00")
    assert "line 1: is no text in UTF-8" in failing("replay", str(path))


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ((), 0o600),
        (("--with-secrets",), 0o600),
        (("--stored", "--with-secrets"), 0o600),
        (("--public",), 0o644),
        (("--signed",), 0o644),
    ],
)
def test_others_can_read_what_is_for_everybody_and_nothing_else(
    tmp_path: Path, options: tuple[str, ...], mode: int
) -> None:
    db, out = tmp_path / "journal.db", tmp_path / "match.txt"
    defaults = {option.name: option.default for option in games.spec("tellstones").options}
    with Journal(db) as journal:
        journal.append((Start(0.0, "tellstones", defaults, ("a", "b"), 77),))
    make_key(tmp_path)
    before = os.umask(0o022)
    try:
        run("journal", "export", *options, "--journal", str(db), "--out", str(out))
    finally:
        os.umask(before)
    assert out.stat().st_mode & 0o777 == mode


def test_a_match_goes_out_of_the_journal_and_into_another(tmp_path: Path) -> None:
    spec = games.spec("tellstones")
    options = {option.name: option.default for option in spec.options} | {"first_stone": "scales"}
    entries = (
        Start(0.0, "tellstones", options, ("a", "b"), 77, {"kind": "move", "seconds": 60}),
        Act(1.5, "a", ("place", "crown", "left")),
        Settle(2.0, Source.CAMERA),
        Act(9.25, "b", ("hide", "crown"), Source.CAMERA),
    )
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    with Journal(one) as journal:
        journal.append(entries)
    assert "tellstones  A B  undated  4 entries  0 min  (not finished)" in run("journal", "list", "--journal", str(one))
    text = tmp_path / "match.txt"
    run("journal", "export", "--with-secrets", "--journal", str(one), "--out", str(text))
    assert text.stat().st_mode & 0o777 == 0o600
    assert run("journal", "export", "1", "--with-secrets", "--journal", str(one)) == text.read_text(encoding="utf-8")
    with Journal(two):
        pass
    assert "match 1: 4 entries" in run("journal", "import", str(text), "--journal", str(two))
    with Journal(two) as journal:
        assert journal.entries(1) == entries
        assert journal.current is None
        game = games.game(spec)
        assert encode(replay(game, journal.entries(1))) == encode(replay(game, entries))


def test_of_a_match_that_goes_on_the_seed_leaves_the_journal_only_when_asked_for(tmp_path: Path) -> None:
    path, text = tmp_path / "one.db", tmp_path / "match.txt"
    with Journal(path) as journal:
        journal.append((Start(0.0, "tellstones", {"first_stone": "scales"}, ("a", "b"), 987654321),))
    told = CliRunner().invoke(app, ["journal", "export", "--journal", str(path), "--out", str(text)])
    assert (told.exit_code, "its seed is left out" in told.stderr) == (0, True)
    assert "987654321" not in text.read_text(encoding="utf-8")
    assert "line 4: the seed is left out" in failing("journal", "import", str(text), "--journal", str(path))
    with Journal(path) as journal:
        assert journal.matches() == (1,)
        journal.leave()
    assert "987654321" in run("journal", "export", "--journal", str(path))


def test_a_record_that_breaks_a_rule_is_not_imported(record: Path, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path):
        pass
    assert "line 7" in failing("journal", "import", str(record), "--journal", str(path))
    with Journal(path) as journal:
        assert journal.matches() == ()
    assert "no match 9" in failing("journal", "export", "9", "--journal", str(path))
    assert "does not exist" in failing("journal", "list", "--journal", str(tmp_path / "none.db"))


@pytest.mark.parametrize("command", [("salvage", "{journal}"), ("import", "{record}", "--journal", "{journal}")])
def test_a_journal_is_left_alone_while_a_referee_writes_it(tmp_path: Path, command: tuple[str, ...]) -> None:
    """What was accepted meanwhile would be lost with the file that is put aside."""
    journal, record = tmp_path / "journal.db", tmp_path / "match.txt"
    record.write_text(RECORD.split("a: fly", maxsplit=1)[0], encoding="utf-8")
    with Journal(journal):
        pass
    before = journal.read_bytes()
    with alone(tmp_path):
        told = failing(*(each.format(journal=journal, record=record) for each in ["journal", *command]))
    assert f"process {os.getpid()} is this table's referee already" in told
    assert journal.read_bytes() == before


def test_a_damaged_journal_is_salvaged(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(b"noise" * 1000)
    listed = CliRunner().invoke(app, ["journal", "list", "--journal", str(path)])
    assert (listed.exit_code, "referee journal salvage" in listed.stderr) == (1, True)
    told = CliRunner().invoke(app, ["journal", "salvage", str(path)])
    assert (told.exit_code, "nothing in" in told.output) == (1, True)
    assert run("journal", "list", "--journal", str(path)) == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can leave files that the referee cannot open")
def test_what_root_salvages_stays_the_referees() -> None:
    with TemporaryDirectory() as folder:  # those of pytest are closed to others
        path = Path(folder, "journal.db")
        path.write_bytes(b"noise" * 1000)
        for each in (path, folder):
            os.chown(each, 4711, 4711)
        CliRunner().invoke(app, ["journal", "salvage", str(path)])
        assert {each.stat().st_uid for each in Path(folder).iterdir()} == {4711}


@pytest.mark.parametrize(
    ("name", "holds", "says"),
    [("none.db", None, "does not exist: name the journal"), ("match.txt", RECORD, "is a record, not a journal")],
)
def test_what_is_no_journal_is_not_salvaged(tmp_path: Path, name: str, holds: str | None, says: str) -> None:
    path = tmp_path / name
    if holds is not None:
        path.write_text(holds, encoding="utf-8")
    assert says in failing("journal", "salvage", str(path))
    assert [each.name for each in tmp_path.iterdir()] == ([name] if holds is not None else [])


def test_print_writes_sheets_and_tells_their_geometry(tmp_path: Path) -> None:
    geometry = json.loads(run("print", "mat", "--game", "tellstones", "--json"))
    assert geometry["size_mm"] == [420.0, 297.0]
    assert len(geometry["markers"]) == 4
    written = run("print", "mat", "--all", "--format", "svg", "--out", str(tmp_path)).split()
    assert all(Path(name).stat().st_size > 1000 for name in written)
    assert "games: " in failing("print", "mat", "--game", "chess")


def test_print_leaves_out_what_a_duel_does_not_need_and_says_so(tmp_path: Path) -> None:
    def printed(*more: str) -> tuple[int, str]:
        told = CliRunner().invoke(
            app, ["print", "tellstones", "--paper", "a4", "-f", "svg", "-o", str(tmp_path), *more]
        )
        assert told.exit_code == 0, told.output
        return len(told.stdout.split()), told.stderr

    sheets, left = printed()
    assert sheets == 6
    assert left.startswith("Left out: Tellstones, Two Lines (8 sheets).")
    assert "--with tellstones-two" in left
    assert printed("--with", "tellstones-two") == printed("--all") == (14, "")


def test_a_missing_table_file_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_TABLE", str(tmp_path / "table.toml"))
    for command in ("run", "doctor"):
        told = failing(command)
        assert "referee setup" in told
        assert str(tmp_path / "table.toml") in told


def test_setup_writes_a_table_file_that_loads(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    result = CliRunner().invoke(app, ["setup", str(path)], input="ru\n1\n\nnone\nno\nno\n")
    assert result.exit_code == 0, result.output
    assert 'language = "ru"' in path.read_text(encoding="utf-8")
    assert "GPIO 17 (pin 11)" in result.output
    again = CliRunner().invoke(app, ["setup", str(path)], input="no\n")
    assert again.exit_code == 1
    assert "stays as it is" in again.output


def test_the_doctor_s_words_stand_as_they_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Square brackets are sections of the table file, not colours."""
    from device import doctor

    found = doctor.Finding("[seats.b]", False, "[/dev/i2c-1] does not answer", "name it under [shared]")
    monkeypatch.setattr(doctor, "examine", lambda _settings: iter((found,)))
    table = tmp_path / "table.toml"
    CliRunner().invoke(app, ["setup", str(table)], input="en\n1\n\nnone\nno\nno\n")
    told = CliRunner().invoke(app, ["doctor", "--table", str(table)]).output
    assert told == "NO  [seats.b]: [/dev/i2c-1] does not answer\n      name it under [shared]\n"


def test_every_command_explains_itself() -> None:
    whole = run("--help")
    for name in ("run", "simulate", "replay", "doctor", "setup", "print", "enrol", "calibrate", "journal"):
        assert name in whole
        assert len(run(name, "--help")) > 200
    assert "([pages])" in whole
    assert "([herald])" in whole
    assert run("--version").startswith("referee ")


@pytest.mark.thorough
def test_groups_of_commands_are_read_in_without_what_draws_and_looks() -> None:
    """The owner's page starts a process for each of its tasks: all of the tree would take a small computer seconds."""
    code = (
        "import sys; from device.cli.tree import tree; [tree(name) for name in ('owner', 'journal', 'deck')];"
        "print(*sys.modules.keys() & {'cv2', 'numpy', 'reportlab'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_enrol_from_pictures(tmp_path: Path) -> None:
    import cv2
    import numpy as np

    rng = np.random.default_rng(5)
    for number, kind in enumerate(("crown", "shield")):
        folder = tmp_path / "enrol" / kind
        folder.mkdir(parents=True)
        image = np.full((160, 160, 3), 230, np.uint8)
        cv2.putText(image, "AW"[number], (30, 120), cv2.FONT_HERSHEY_SIMPLEX, 4, (20, 20, 20), 12)
        noise = rng.integers(-6, 7, image.shape)
        cv2.imwrite(str(folder / "1.png"), np.clip(image + noise, 0, 255).astype(np.uint8))
    table = tmp_path / "table.toml"
    text = (ROOT / "config" / "tables" / "two-seats.toml").read_text(encoding="utf-8")
    table.write_text(text.replace("/var/lib/referee", str(tmp_path / "state")), encoding="utf-8")
    told = run("enrol", "stones", "--from", str(tmp_path / "enrol"), "--table", str(table))
    assert "2 kinds" in told
    assert "hammer" in told
    assert (tmp_path / "state" / "enrolled" / "stones").is_dir()


def test_enrol_says_what_is_dark_and_what_looks_alike(tmp_path: Path) -> None:
    import cv2
    import numpy as np

    def face(letter: str, level: int) -> np.ndarray:
        image = np.full((160, 160, 3), level, np.uint8)
        cv2.putText(image, letter, (30, 120), cv2.FONT_HERSHEY_SIMPLEX, 4, (level // 8,) * 3, 12)
        return image

    for kind, picture in {"crown": face("A", 230), "shield": face("A", 228), "sword": face("W", 24)}.items():
        (tmp_path / "enrol" / kind).mkdir(parents=True)
        cv2.imwrite(str(tmp_path / "enrol" / kind / "1.png"), picture)
    table = tmp_path / "table.toml"
    text = (ROOT / "config" / "tables" / "two-seats.toml").read_text(encoding="utf-8")
    table.write_text(text.replace("/var/lib/referee", str(tmp_path / "state")), encoding="utf-8")
    words = ("enrol", "stones", "--from", str(tmp_path / "enrol"), "--table", str(table))
    with pytest.raises(PicturesError, match=r"sword/1.png: the picture is too dark\."):
        run(*words)
    told = run(*words, "--anyway")
    assert "Fix this: crown and shield look too alike." in told
    assert "Fix this: sword: the picture is too dark." in told
    assert told.count("Fix this") == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["replay", "{tmp}/latin"], ["latin", "line 3", "UTF-8"]),
        (["replay", "{tmp}/options"], ["options: Line 2", "two-turns"]),
        (["journal", "import", "{tmp}/options", "-j", "{tmp}/new.db"], ["options: Line 2"]),
        (["journal", "export", "-j", "{tmp}/empty"], ["empty holds no match yet"]),
        (["enrol", "stones", "--from", "{tmp}/pictures/test", "-t", "{tmp}/table.toml"], ["test/foo", "crown"]),
        (["print", "mat", "-o", "{tmp}/latin"], ["latin", "cannot be written", "choose another place"]),
        (["simulate", "--host", "203.0.113.1"], ["203.0.113.1", "choose another --host or --port"]),
        (["simulate", "--headless", "--mode", "foo"], ["foo", "two-line"]),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line_that_names_it(
    tmp_path: Path, words: list[str], told: list[str]
) -> None:
    (tmp_path / "latin").write_bytes(b'[Game "tellstones"]\n\na: hide \xff\n')
    (tmp_path / "options").write_text('[Game "tellstones"]\n[Peek_three "now and then"]\n', encoding="utf-8")
    (tmp_path / "empty").touch()
    for folder in ("enrol/crown", "test/foo", "test/_unknown"):
        (tmp_path / "pictures" / folder).mkdir(parents=True)
    table = (ROOT / "config/tables/two-seats.toml").read_text(encoding="utf-8")
    (tmp_path / "table.toml").write_text(table, encoding="utf-8")
    error = CliRunner().invoke(app, [word.format(tmp=tmp_path) for word in words]).exception
    assert isinstance(error, RefereeError | PageError)  # `main` prints these as one line
    assert all(each in str(error) for each in told), error


@pytest.mark.parametrize(
    "words",
    [
        ["planetx", "gates", "--games", "0"],
        ["simulate", "--mode", "basic"],
        ["simulate", "--only", "0"],
    ],
)
def test_what_no_number_and_no_page_can_be_is_a_mistake_in_the_command(words: list[str]) -> None:
    assert CliRunner().invoke(app, words).exit_code == 2


def test_a_match_is_imported_into_a_new_journal(record: Path, tmp_path: Path) -> None:
    record.write_text(RECORD.replace("a: fly\nb: place sword left\n", ""), encoding="utf-8")
    assert "match 1" in run("journal", "import", str(record), "-j", str(tmp_path / "new.db"))
    assert "hide crown" in run("journal", "export", "-j", str(tmp_path / "new.db"))


def test_a_revealed_game_is_told_line_by_line() -> None:
    told = run("planetx", "new", "--code", "AKTWE", "--reveal").splitlines()
    assert "board: AACGEGCDAAXE" in told
    assert "  1  Sector 7 is not a dwarf planet." in told
    assert " X1  Planet X is not within 3 sectors of a comet.  [comets and Planet X]" in told


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("look", "nowhere"), "nowhere"),
        (("look", "."), "pictures"),
        (("deck", "show", "fence", "--file", "nowhere.toml"), "nowhere.toml"),
        (("deck", "show", "fence", "--file", "."), "is a folder"),
        (("deck", "show", "fence", "--file", "empty.toml"), "'cards' is missing"),
        (("deck", "show", "fence", "--file", "broken.toml"), "broken.toml: end of document: is not TOML"),
        (("deck", "edit", "fence", "RF01", "--speed", "-4"), "--speed"),
        (("deck", "edit", "fence", "RF01", "--sp", "99"), "--sp"),
        (("print", "mat", "--out", "mat.pdf"), "no folder"),
        (("print", "tellstones", "--with", "chess"), "there are tellstones-two"),
        (("setup", "."), "folder"),
        (("simulate", "--seed", "-1"), "--seed"),
        (("simulate", "--headless", "--matches", "1000000000"), "--matches"),
        (("simulate", "--headless", "--jobs", "1000000"), "--jobs"),
        (("simulate", "--headless", "--journals", "broken.toml"), "no folder"),
        (("simulate", "--headless", "--ideal", "--journals", "kept"), "pictures"),
    ],
)
def test_what_cannot_be_used_is_named_before_anything_is_done(
    arguments: tuple[str, ...], wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "empty.toml").touch()
    (tmp_path / "broken.toml").write_text("broken = [")
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code != 0
    assert wrong in (str(result.exception) if isinstance(result.exception, RefereeError) else result.output)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.toml", "empty.toml"]


def test_look_names_another_mat_though_one_file_is_faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(resources.root(), tmp_path / "config")
    (tmp_path / "config" / "mats" / "fence.toml").write_text("[", encoding="utf-8")
    monkeypatch.setattr(resources, "root", lambda: tmp_path / "config")
    seen = SeenPicture("1.png", 0.0, (), (), Health.NO_MAT, "runes")
    monkeypatch.setattr(
        "vision.still_pictures.look", lambda *_given, others, **_more: [seen] if len(others) > 1 else []
    )
    (tmp_path / "1.png").touch()
    told = run("look", str(tmp_path / "1.png"))
    assert 'no_mat: the mat "Dueling Runes, 1-2 players" lies there; give its --game and --mat' in told
    assert "fence.toml: end of document: is not TOML" in told
    seen = SeenPicture("1.png", 0.0, (), (), Health.NO_MAT)
    monkeypatch.setattr("vision.still_pictures.look", lambda *_given, **_more: [seen])
    assert "too few of the mat's markers are found" in run("look", str(tmp_path / "1.png"))


def test_look_reads_flat_prints_as_the_referee_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, str]] = []

    def look(_path: Path, _mat: object, _sets: object, known: dict[str, str], **_more: object) -> list[SeenPicture]:
        given.append(known)
        return []

    monkeypatch.setattr("vision.still_pictures.look", look)
    monkeypatch.setattr("vision.recognition.recogniser.load", lambda _folder: "relief")
    monkeypatch.setattr("vision.recognition.prints.printed.load", lambda _folder: "print")
    (tmp_path / "1.png").touch()
    run("look", str(tmp_path / "1.png"), "--game", "runes", "--set", str(tmp_path))
    run("look", str(tmp_path / "1.png"), "--game", "tellstones", "--set", str(tmp_path))
    assert given == [{"counters": "print", "decktet": "print"}, {"stones": "relief"}]


@pytest.mark.parametrize("command", ["pages", "herald"])
def test_a_service_whose_table_file_cannot_be_used_says_so_in_a_line(command: str, tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.toml"
    faulty.write_text("seats = ", encoding="utf-8")
    for path in (tmp_path / "missing.toml", faulty):
        told = refused(command, "--table", str(path))
        assert str(path) in told
        assert told.count("\n") == 1


@pytest.mark.parametrize(("command", "told"), [("pages", "wants no pages"), ("herald", "names no broker")])
def test_a_service_that_has_nothing_to_do_ends_before_much_is_read_in(command: str, told: str) -> None:
    """Both are started with the daemon, at every table."""
    code = (
        "import sys; from device.cli import main\n"
        "try:\n    main()\nfinally:\n    print([each for each in ('typer', 'rich', 'cv2') if each in sys.modules])"
    )
    words = [sys.executable, "-c", code, command, "--table", str(resources.resource("tables", "two-seats.toml"))]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told in done.stdout.splitlines()[0]
    assert done.stdout.splitlines()[1:] == ["[]"]
