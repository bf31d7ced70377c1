"""The tables of the page Benchmarks, by hand: a target is reached where every processor reaches it."""

from benchmarks import harness, tables
from benchmarks.targets import TARGETS


def comparison(work, ratio, target=None):
    return {"work": work, "peer": "theirs", "target": target, "ratio": ratio, "low": None, "high": None}


def quantity(work, ours, target=None, at="most", **theirs):
    return dict(work=work, ours=ours, unit="MB", target=target, at=at, peer=None, theirs=None) | theirs


def record(date, comparisons=(), quantities=(), note="What it is."):
    machine = {"python": "3.13.1", "packages": {"NumPy": "2.4"}}
    return {"date": date, "machine": machine, "comparisons": comparisons, "quantities": quantities, "note": note}


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


def test_ratios_have_empty_cells_and_the_newest_target():
    assert tables.ratios(TWO).splitlines() == [
        "| Work | Peer | New | Old | Target |",
        "| :-- | :-- | --: | --: | :-- |",
        "| step | theirs | 2.00 | 1.25 | 1.5, missed |",
        "| gone | theirs |  | 312 | 200, reached |",
        "| new | theirs | 3.25 |  |  |",
    ]


def test_quantities_have_units_and_what_the_peer_has():
    assert tables.quantities(TWO).splitlines() == [
        "| Work | New | Old | Target |",
        "| :-- | --: | --: | :-- |",
        "| rate | 41 MB |  | at least 50, missed |",
        "| page | 2,701 MB | 2.04 MB (theirs: 30) | at most 3000, reached |",
    ]


def test_machines_and_notes():
    assert tables.machines({"New": {"steps": record("2026-02-03")}}).splitlines() == [
        "- New",
        "  - steps, 2026-02-03: Python 3.13.1, NumPy 2.4",
    ]
    assert tables.notes(TWO).splitlines()[0] == "- **gone**: As it was."


def test_what_is_recorded_has_the_targets_of_the_table():
    documents = [document for made in harness.read().values() for document in made.values()]
    for document in documents:
        for line in document["comparisons"] + document["quantities"]:
            assert line["target"] == TARGETS.get((line["work"], line["peer"] if "ratio" in line else ""))
