"""Every match that was told wrongly once can be played again; what is not right is told with what plays it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from referee_simulator.harness.plan import Eyes, Plan, matches_of
from tools import regressions as module
from tools.bound import Played, Tally
from tools.regressions import again, read_table
from vision.files import BadFile


def test_every_match_of_the_table_can_be_played_and_stands_there_once(tmp_path: Path) -> None:
    plans = [msgspec.structs.replace(each.plan, eyes=Eyes.IDEAL) for each in read_table()]
    assert len({repr(plan) for plan in plans}) == len(plans)
    for plan in plans:
        (match,) = matches_of(plan, tmp_path)
        assert match.number == plan.only


def test_what_is_not_right_is_told_with_what_plays_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[int]()
    poor = {1: Tally(wrong=1), 2: Tally(accused=1), 3: Tally(stuck=1), 4: Tally(asked=1)}

    def play(plan: Plan) -> Played:
        begun.append(plan.seed)
        return Played(plan.game, f"--seed {plan.seed}", msgspec.structs.replace(poor.get(plan.seed, Tally()), right=7))

    monkeypatch.setattr(module, "play", play)
    few = [msgspec.structs.replace(each, seed=seed) for seed, each in enumerate(read_table()[:6])]
    found = again(few, folder=tmp_path)
    assert found == again(few, folder=tmp_path)
    assert begun == list(range(6))
    assert [name.rpartition(" ")[2] for name in found.not_right] == ["1", "2", "3"]
    assert (found.all.right, found.all.wrong, found.all.accused, found.all.stuck, found.all.asked) == (42, 1, 1, 1, 1)


@pytest.mark.parametrize("line", ["sed = 7", 'scene = "easy"', 'seed = "7"'])
def test_a_wrong_table_names_the_line(tmp_path: Path, line: str) -> None:
    table = tmp_path / "regressions.toml"
    table.write_text(
        '[[match]]\ncommit = "1"\ngame = "fence"\nonly = 0\nwas = "x"\nseed = 7\n'.replace("seed = 7", line)
    )
    with pytest.raises(BadFile, match=r"regressions\.toml.*line"):
        read_table(table)
