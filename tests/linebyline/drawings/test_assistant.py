"""Drawings of what an assistant reads, writes and is trained on."""

import math
import re

from linebyline.drawings import (
    answer_group,
    counted_tokens,
    low_rank,
    margin,
    reward_loop,
    three_answers,
    who_is_asked,
)
from linebyline.drawings.chat import ANSWER, PROMPT


def test_only_the_tokens_of_the_answer_count():
    words = re.findall(r"<text[^>]*>([^<]*)<", counted_tokens().svg())
    assert words.count("counted") == len(ANSWER) and words.count("ignored") == len(PROMPT) - 1


def test_an_update_is_the_product_of_its_parts():
    cells = [int(n) for n in re.findall(r'class="cell \w+"[^>]*></rect><text[^>]*>(\d+)<', low_rank().svg())]
    a, b, update = cells[:4], cells[4:8], cells[8:]
    assert update == [x * y for x in a for y in b]


def test_half_of_the_world_is_only_in_the_texts():
    words = re.findall(r">(read|not read)<", who_is_asked().svg())
    assert words == ["read", "read", "read", "not read", "read", "read", "not read", "not read"]


def test_the_margin_is_beta_times_the_difference_of_two_changes():
    words = re.findall(r"<text[^>]*>([^<]*)<", margin().svg())
    assert "+1.10" in words and "−0.69" in words
    assert f"margin: 0.5 × 1.79 = {0.5 * (math.log(0.15 / 0.05) - math.log(0.3 / 0.6)):.2f}" in words


def test_both_answers_of_a_pair_fall_and_the_margin_grows():
    numbers = [float(n) for n in re.findall(r">(0\.\d\d)<", three_answers().svg())]
    before, after = numbers[::2], numbers[1::2]
    assert abs(sum(before) - 1) < 0.02 and abs(sum(after) - 1) < 0.02
    assert after[0] < before[0] and after[1] / before[1] < after[0] / before[0] and after[2] > before[2]


def test_the_advantages_of_a_group_add_up_to_nothing():
    numbers = re.findall(r"<text[^>]*>([+−][\d.]+)<", answer_group().svg())
    values = [float(each.replace("−", "-")) for each in numbers]
    assert values == [0.75, 1.5] + 3 * [-0.25, -0.5]
    assert sum(values[::2]) == sum(values[1::2]) == 0


def test_one_answer_in_the_loop_is_right():
    words = re.findall(r">(right: 1|wrong: 0|more likely|less likely)<", reward_loop().svg())
    assert words == ["right: 1", "more likely"] + 3 * ["wrong: 0", "less likely"]
