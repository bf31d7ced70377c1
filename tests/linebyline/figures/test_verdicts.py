"""Verdicts by document: a bar for each count, and the same numbers in the table."""

from linebyline.figures import verdicts

COUNTS = {"000": {"holds": 2, "corrected": 1}, "001": {"holds": 0, "corrected": 5}}


def test_bars_and_table_carry_the_counts():
    spec = verdicts(COUNTS, description="Two documents.").spec
    drawn = {(row["document"], row["verdict"]): row["claims"] for row in spec["data"]["values"]}
    assert drawn == {(document, name): count for document, row in COUNTS.items() for name, count in row.items()}
    table = spec["usermeta"]["table"]
    assert (table["rows"], table["columns"]) == (["000", "001"], ["holds", "corrected"])
    assert table["cells"] == ["2", "1", "0", "5"]
