"""The estimator's bench writes its table, and the kept results are from the present scenarios."""

from pathlib import Path

from bench.estimator.__main__ import main
from bench.estimator.study import RARE, SCENARIOS

KEPT = Path(__file__).parents[2] / "bench" / "estimator" / "RESULTS.md"


def rows(text: str) -> list[list[str]]:
    """The cells of the table's rows, without its head."""
    return [[cell.strip() for cell in line.strip("| \n").split("|")] for line in text.splitlines() if line[:1] == "|"][
        2:
    ]


def test_each_scenario_has_a_row_and_the_same_seed_gives_the_same_table(tmp_path: Path) -> None:
    main(replications=10, seed=1, out=tmp_path / "one.md")
    main(replications=10, seed=1, out=tmp_path / "two.md")
    first = (tmp_path / "one.md").read_text("utf-8")
    assert first == (tmp_path / "two.md").read_text("utf-8")
    assert len(rows(first)) == len(SCENARIOS)


def test_the_kept_results_are_of_these_scenarios_and_show_the_promise() -> None:
    kept = rows(KEPT.read_text("utf-8"))
    described = [[s.traffic, s.judge.name, s.labelling.value, str(s.labels)] for s in SCENARIOS]
    assert [row[:4] for row in kept] == described
    covered = [float(row[5].rstrip("%")) for row in kept]
    rare = [s.traffic == RARE[0] for s in SCENARIOS]
    assert all(94.0 <= share <= (97.0 if is_rare else 96.3) for share, is_rare in zip(covered, rare, strict=True))
    assert all(float(row[9].rstrip("%")) < 50.0 for row in kept)
