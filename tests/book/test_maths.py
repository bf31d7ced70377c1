"""Formulas: drawn for the eye, told in MathML for screen readers, and refused if they cannot be read."""

import maths
import pytest


def test_formulas_are_html_and_mathml():
    formulas = [(r"\sqrt{d_k}", False), (r"\sum_i x_i", True)]
    maths.render(formulas)
    inline, displayed = (maths.rendered[formula] for formula in formulas)
    assert "<msqrt>" in inline and r"\sqrt{d_k}</annotation>" in inline
    assert "katex-display" in displayed and "katex-display" not in inline


def test_a_formula_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match=r"(?s)KaTeX refuses a formula: .*Expected '}'"):
        maths.render([(r"\sqrt{d_k", False)])
