"""The comparison with a record reads the numbers after ≈, and nothing else is forgiven."""

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import comparison


@pytest.mark.parametrize(
    ("text", "recorded", "near"),
    [
        ("loss ≈ 1.98", "loss ≈ 1.82", True),  # less than a tenth
        ("≈ 0.02, then ≈   1,050", "≈ 0.01, then ≈ 1,000", True),  # a unit of the last digit; a tenth, another width
        ("≈ 3e-4", "≈ 3.1e-4", True),
        ("no number at all", "no number at all", True),
        ("loss ≈ 2.05", "loss ≈ 1.82", False),
        ("≈ 0.03", "≈ 0.01", False),
        ("1.83", "1.82", False),  # without the sign it is compared to the last digit
        ("≈ 1.82, 4", "≈ 1.82, 5", False),
        ("≈ 1.82", "1.82", False),
        ("≈ 1 ≈ 2", "≈ 1", False),
        ("≈ -1.0", "≈ 1.0", False),
        ("≈ 3e-16", "≈ 3e-4", False),
        ("≈ 5e-16", "≈ 3e-16", False),
    ],
)
def test_near(text, recorded, near):
    assert comparison.near(text, recorded) == comparison.near(recorded, text) == near


@given(st.text(), st.text())
def test_texts_without_the_sign_are_near_only_themselves(text, recorded):
    if "≈" not in text + recorded:
        assert comparison.near(text, recorded) == (text == recorded)


def test_a_comparison_sees_near_texts_as_equal_and_changes_neither():
    def output(text, new=nbformat.v4.new_output):
        return [new("stream", text=text), new("display_data", {"text/plain": text})]

    seen, recorded = output("≈ 1.9"), output("≈ 1.8")
    compare = comparison.tolerant(lambda outputs, record: outputs == record)
    assert compare(seen, recorded)
    assert not compare(seen, output("≈ 2.8"))
    assert not compare(seen, output("about 1.9"))
    assert (seen, recorded) == (output("≈ 1.9"), output("≈ 1.8"))


@pytest.mark.parametrize(
    ("value", "alike"), [(1.3767, True), (1.3768, False), (2, False), ("1.3766", False), (None, False)]
)
def test_a_number_of_a_figure_may_differ_in_its_fourth_decimal(value, alike):
    drawn, recorded = ({"values": [{"counts": [0], "logits": [number]}]} for number in (value, 1.3766))
    assert comparison.alike(drawn, recorded) == alike
    assert not comparison.alike({"values": [{"counts": [1], "logits": [1.3766]}]}, recorded)
    figure = [[nbformat.v4.new_output("display_data", {comparison.FIGURE: each})] for each in (drawn, recorded)]
    assert comparison.tolerant(lambda outputs, record: outputs == record)(*figure) == alike
