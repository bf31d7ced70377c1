"""Claims of papers on evaluation, held against the recorded runs."""

from statistics import fmean

import numpy as np

from linebyline.assistant import choices
from linebyline.claims.declare import claim, depends, holds, percent
from linebyline.experiments.studies import runs


@claim("holtzman2021", "multiple-choice", "A likelihood divided by that without the question chooses better.")
@depends("It does here. Which score is best depends on how the options differ in wording and in length.")
def _neutral_score() -> str:
    questions = choices.choices()
    truth = np.array([each.right for each in questions])
    lengths = np.array([[len(text.split()) for text in each.options] for each in questions])
    found = []
    for run in runs("judged", rate=3e-4):
        sums = np.array(run["log_probs"])  # (questions, options)
        scores = {"sum": sums, "mean": sums / lengths, "divided": sums - np.array(run["neutral"])}
        found.append({name: (score.argmax(axis=1) == truth).mean() for name, score in scores.items()})
    return "right: " + ", ".join(f"{name} {percent(found, name)}" for name in ("sum", "mean", "divided"))


def _exposure(copies: str, **setting: bool) -> str:
    """Give the mean exposure of the codes whose page was planted so often, in bits."""
    return f"{fmean(bits for run in runs('contamination', **setting) for bits in run['exposure'][copies]):.1f}"


@claim("carlini2019", "near-duplicates", "The more often a secret is in the texts, the better the model knows it.")
@holds("A hundred copies are well known; ten leave a trace.")
def _copies_expose() -> str:
    return f"exposure in bits for 0, 1, 10 and 100 copies: {', '.join(map(_exposure, ('0', '1', '10', '100')))}"


@claim("lee2022", "near-duplicates", "Without near-duplicates, a model memorizes much less.")
@holds("The codes of pages that had a hundred copies are nearly unknown.")
def _fewer_copies() -> str:
    all_copies, one = _exposure("100"), _exposure("100", deduplicated=True)
    return f"exposure in bits, 100 copies {all_copies}, without near-duplicates {one}"
