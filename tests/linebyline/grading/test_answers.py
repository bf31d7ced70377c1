"""Right and wrong answers get the verdict, and the words, through a worker that they get beside the laws."""

from pathlib import Path

import pytest

import clearformer
from linebyline.exercises import Write, registry
from linebyline.grading.isolation import Limits
from linebyline.grading.judge import Item, judge_submission

pytestmark = pytest.mark.usefixtures("computed_once")
EXERCISES = registry()
HERE = Path(__file__).parents[3]
# A worker has no course; this submission, which runs without isolation, goes and gets it.
SUBMISSION = f"""
import sys
for name in [name for name in sys.modules if name.startswith(("clearformer", "linebyline"))]:
    del sys.modules[name]
sys.path[:0] = [{str(Path(clearformer.__file__).parents[1])!r}, {str(HERE)!r}]
from linebyline.exercises import registry
for id in IDS:
    for number, answer in enumerate([registry()[id].right, *registry()[id].wrong_answers.values()]):
        globals()[f"{{id}}:{{number}}"] = answer
"""
ONE_OF_EACH_KIND = list({exercise.kind: id for id, exercise in reversed(list(EXERCISES.items()))}.values())
MEMORY = "builds the Jacobian", "computes everything at once"  # how much they take is said, and may vary


# Without a seed the cases are the public ones, which a student's own check draws; 0 is a seed like any other.
@pytest.mark.parametrize(("seed", "ids"), [(1, list(EXERCISES)), (0, ONE_OF_EACH_KIND), (None, ONE_OF_EACH_KIND)])
def test_an_answer_is_judged_from_afar_as_it_is_at_home(unchecked, seed: int | None, ids: list[str]) -> None:
    answers = {id: {"right": EXERCISES[id].right, **EXERCISES[id].wrong_answers} for id in ids}
    asked = [Item(id, entry=f"{id}:{number}") for id in ids for number in range(len(answers[id]))]
    limits = Limits(law_seconds=60)  # a busy machine must not decide
    results = judge_submission(f"IDS = {ids}\n{SUBMISSION}", asked, seed=seed, isolation="none", limits=limits)
    assert (results["stopped"], results["starts"]) == ("", 1)
    judged = iter(results["exercises"])
    for id in ids:
        exercise = EXERCISES[id]
        for mistake, answer in answers[id].items():
            far, near = next(judged), exercise.examine(answer, seed=seed)
            assert far["status"] == ("passed" if mistake == "right" else "failed"), (id, mistake)
            assert far["points"] == near.points
            told = [(law["name"], law["verdict"] == "holds", law["why"]) for law in far["laws"]]
            words = isinstance(exercise, Write) and mistake in MEMORY
            assert [law[: 2 if words else 3] for law in told] == [
                (result.name, result.ok, result.message[:1000])[: 2 if words else 3] for result in near.results
            ], (id, mistake)
    assert next(judged, None) is None
