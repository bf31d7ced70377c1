"""The tables of the page Benchmarks: by hand, and a target is reached where it is reached on every processor."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks import records, tables


def comparison(work, ratio, target=None):
    seconds = {"ours_seconds": 1.0, "peer_seconds": ratio, "ratio": ratio}
    return {"work": work, "peer": "theirs", "target": target, "rounds": 5, **seconds}


def quantity(work, ours, target=None, at="most", **theirs):
    return {
        "work": work,
        "ours": ours,
        "unit": "MB",
        "target": target,
        "at": at,
        "peer": None,
        "theirs": None,
        **theirs,
    }


def record(date, comparisons=(), quantities=(), note="What it is."):
    return {"date": date, "comparisons": list(comparisons), "quantities": list(quantities), "note": note}


TWO = {
    "New": {
        "steps": record("2026-02-03", [comparison("new", 3.25), comparison("step", 2.0, 1.5)], note="As it is now."),
        "size": record("2026-02-03", (), [quantity("page", 2701.4, 3000), quantity("rate", 41, 50, "least")]),
    },
    "Old": {
        "gone": record("2026-01-02", [comparison("gone", 311.7, 200)], note="As it was."),
        "steps": record("2026-01-02", [comparison("step", 1.25, 1.0)], note="As it was then."),
        "size": record("2026-01-02", (), [quantity("page", 2.04, 40, peer="theirs", theirs=30.0)]),
    },
}


def test_ratios_by_hand_with_empty_cells_and_the_newest_order_and_target():
    assert tables.ratios(TWO).splitlines() == [
        "| Work | Peer | New | Old | Target |",
        "| :-- | :-- | --: | --: | :-- |",
        "| step | theirs | 2.00 | 1.25 | 1.5, missed |",
        "| gone | theirs |  | 312 | 200, reached |",
        "| new | theirs | 3.25 |  |  |",
    ]


def test_quantities_by_hand():
    assert tables.quantities(TWO).splitlines() == [
        "| Work | New | Old | Target |",
        "| :-- | --: | --: | :-- |",
        "| rate | 41 MB |  | at least 50, missed |",
        "| page | 2,701 MB | 2.04 MB (theirs: 30) | at most 3000, reached |",
    ]


def test_machines_by_hand():
    made = {
        "steps": {"date": "2026-02-03", "machine": {"python": "3.13.1", "packages": {"NumPy": "2.4", "Torch": "3"}}}
    }
    assert tables.machines({"New": made}).splitlines() == [
        "- New",
        "  - steps, 2026-02-03: Python 3.13.1, NumPy 2.4, Torch 3",
    ]


def test_notes_are_those_of_the_newest_records():
    assert tables.notes(TWO).splitlines() == [
        "- **gone**: As it was.",
        "- **size**: What it is.",
        "- **steps**: As it is now.",
    ]


@given(st.lists(st.tuples(st.dates(), st.integers(1, 9)), min_size=1, max_size=5), st.integers(1, 9))
def test_a_target_is_reached_where_every_processor_reaches_it(runs, target):
    made = {
        f"Processor {i}": {"steps": record(day.isoformat(), [comparison("step", ratio / 2, target / 2)])}
        for i, (day, ratio) in enumerate(runs)
    }
    *_, row = tables.ratios(made).splitlines()
    assert row.endswith(", reached |") == all(ratio >= target for _, ratio in runs)
    assert row.count("|") == len(runs) + 4


def test_every_row_of_what_is_recorded_has_a_cell_for_each_processor():
    recorded = records.read()
    for table, fixed in ((tables.ratios(recorded), 3), (tables.quantities(recorded), 2)):
        head, _, *rows = table.splitlines()
        assert rows
        assert {row.count(" | ") + 1 for row in (head, *rows)} == {len(recorded) + fixed}
