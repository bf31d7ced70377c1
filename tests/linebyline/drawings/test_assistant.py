"""Drawings of what an assistant reads, writes and is trained on."""

import re

from linebyline.drawings import counted_tokens, low_rank, who_is_asked
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
