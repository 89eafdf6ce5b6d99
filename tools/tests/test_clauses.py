"""Clauses and the tests that name them are counted."""

from __future__ import annotations

from pathlib import Path

from tools import clauses as tool


def test_a_clause_counts_only_if_a_test_names_it(tmp_path: Path) -> None:
    rules, tests = tmp_path / "rules", tmp_path / "tests"
    (tests / "clauses").mkdir(parents=True)
    rules.mkdir()
    (rules / "chess.md").write_text("- C1 White begins.\n  - C2a Castling.\n- C3 Chat is allowed.\n- C4 Mate wins.\n")
    (tests / "clauses" / "chess.toml").write_text('[unbound]\nC3 = "talk is not refereed"\n')
    (tests / "test_chess.py").write_text('@pytest.mark.clause("C1", "C2a", "C9")\ndef test_start(): ...\n')
    row = tool.report(rules, tests)["chess"]
    assert (row.clauses, row.tested, row.untested, row.unknown) == (4, 2, ["C4"], ["C9"])
    assert row.unbound == {"C3": "talk is not refereed"}


def test_a_test_that_is_not_quick_proves_no_clause(tmp_path: Path) -> None:
    (tmp_path / "test_chess.py").write_text(
        '@pytest.mark.clause("C1")\n@pytest.mark.thorough\ndef test_long(): ...\n'
        '@pytest.mark.soak\nclass TestLong:\n    @pytest.mark.clause("C2")\n    def test_inner(self): ...\n'
        '@pytest.mark.parametrize("x", [\n'
        '    pytest.param(1, marks=[pytest.mark.clause("C3"), pytest.mark.thorough]),\n'
        '    pytest.param(2, marks=pytest.mark.clause("C4")),\n'
        "])\ndef test_cases(x): ...\n"
    )
    (tmp_path / "test_long.py").write_text(
        'pytestmark = [pytest.mark.thorough]\n@pytest.mark.clause("C5")\ndef test_all(): ...\n'
    )
    assert tool.tests_by_clause(tmp_path) == {"C4": ["test_chess.py::test_cases"]}
