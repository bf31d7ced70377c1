"""The steps of Adam are those of the package, the rounded weight is PyTorch's, and sums and memory are right."""

import re

import numpy as np
import pytest
import torch

from clearformer import functional as F
from linebyline import drawings
from linebyline.drawings.adam_steps import BETA_1, BETA_2, GRADIENTS, numbers
from linebyline.drawings.all_reduce import GRADIENTS as TO_ADD
from linebyline.drawings.memory_bars import MEMORY, PARTS, TOKENS, held, results
from linebyline.drawings.rounding import rounded


def test_the_quotients_are_the_steps_of_adam():
    theta, m, v = np.zeros((3, 1))
    rates = {"lr": 1.0, "beta_1": BETA_1, "beta_2": BETA_2, "eps": 0.0}
    for n, (gradient, step) in enumerate(zip(GRADIENTS, numbers(), strict=True), start=1):
        before = theta
        theta, m, v = F.adam_step(theta, np.array([gradient]), m, v, n, **rates)
        assert before - theta == pytest.approx(step["quotient"])
        assert (m[0], v[0]) == pytest.approx((step["m"], step["v"]))


@pytest.mark.parametrize("value", [0.999, 0.997, 0.9955, 0.9905])
def test_rounding_is_that_of_bfloat16(value):
    assert rounded(value) == torch.tensor(value, dtype=torch.bfloat16).item()


def test_the_boxes_of_the_loop_lead_to_sections():
    assert drawings.training_loop().svg().count("<a ") == 5


def test_both_processes_end_with_the_sum_of_the_gradients():
    cells = re.findall(r'class="cell \w+"[^>]*></rect><text[^>]*>(\d+)<', drawings.all_reduce().svg())
    ends = [cells[i : i + 5] for i in (0, 5)]  # two numbers, a sum, and two sums
    sums = np.sum(TO_ADD, axis=0)
    for own, end, gradient, summed in zip(ends, (ends[0][3:], ends[1][3:]), TO_ADD, sums, strict=True):
        assert [int(n) for n in own[:2]] == list(gradient) and int(own[2]) == summed
        assert [int(n) for n in end] == list(sums)


def test_a_part_fits_into_memory_and_the_whole_does_not():
    assert held() + results(TOKENS / PARTS) < MEMORY < held() + results(TOKENS)
    assert drawings.memory_bars().svg().count(">23<") == PARTS + 1
