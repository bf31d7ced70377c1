"""The exercises on what a model needs to run, in the order of the chapter."""

import numpy as np

from linebyline.exercises.core import Chapter

chapter = Chapter("running_a_model", np=np)


@chapter.predict(
    "How many texts at once? · medium · 3 points · 10 minutes · may use a calculator",
    ("tokens a second for one text", "texts from which on computing takes longer"),
    within=0.01,
    right=(400 / 7.63, 42),
    wrong={
        "The first is what the processor could compute. The smaller of the two bounds decides.": (20_000 / 15.5, 42),
        "The first leaves out the cache, which a token fetches as well.": (400 / 7.5, 42),
        "The first is right. At 41 texts fetching still takes longer than computing.": (400 / 7.63, 41),
        "The first is right. Each text fetches a cache of its own, so fetching grows as well.": (400 / 7.63, 25),
        "The first is right. Each text needs operations of its own.": (400 / 7.63, 1),
    },
)
def texts(rng, weights=7.5, cache=0.13, operations=15.5, bandwidth=400, rate=20_000):
    """Add one text after another until computing takes longer than fetching."""
    n = 1
    while operations * n / rate <= (weights + cache * n) / bandwidth:
        n += 1
    return min(bandwidth / (weights + cache), rate / operations), n
