"""A submission of one answer, and what the judge says of it."""

import json

from linebyline.grading.isolation import Limits
from linebyline.grading.judge import Item, judge_submission

AVERAGE = "attention.weighted_average"
RIGHT = """
def weighted_average(weights, values):
    if weights.sum() == 0:
        raise ValueError
    return weights @ values / weights.sum()
"""
PLAIN = "def weighted_average(weights, values):\n    return weights @ values / weights.sum()\n"


def judged(code: str, *asked: Item, seed: int = 1, limits: Limits = Limits(law_seconds=20)) -> list[dict]:  # noqa: B008
    results = judge_submission(code, asked, seed=seed, isolation="none", limits=limits)
    assert json.loads(json.dumps(results)) == results
    return results["exercises"]
