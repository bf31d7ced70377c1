"""Inputs and targets are the same text, shifted by one."""

import re

from linebyline.drawings import shifted
from linebyline.drawings.shifted import TEXT


def test_tokens_are_in_the_order_of_the_text():
    words = re.findall(r'rx="14"[^>]*></rect><text[^>]*>([^<]*)<', shifted().svg())
    words = [word.replace("&lt;", "<").replace("&gt;", ">") for word in words]
    inputs, targets, same, copied = (tuple(words[i : i + 10 : 2]) for i in (0, 1, 10, 11))
    assert inputs == TEXT[:-1] and targets == TEXT[1:]
    assert same == copied == TEXT[1:]
