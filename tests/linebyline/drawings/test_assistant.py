"""Drawings of what an assistant reads, writes and is trained on."""

import re

from linebyline.drawings import answer_group, counted_tokens, low_rank, reward_loop, who_is_asked
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


def test_the_advantages_of_a_group_add_up_to_nothing():
    numbers = re.findall(r"<text[^>]*>([+−][\d.]+)<", answer_group().svg())
    values = [float(each.replace("−", "-")) for each in numbers]
    assert values == [0.75, 1.5] + 3 * [-0.25, -0.5]
    assert sum(values[::2]) == sum(values[1::2]) == 0


def test_one_answer_in_the_loop_is_right():
    words = re.findall(r">(right: 1|wrong: 0|more likely|less likely)<", reward_loop().svg())
    assert words == ["right: 1", "more likely"] + 3 * ["wrong: 0", "less likely"]
