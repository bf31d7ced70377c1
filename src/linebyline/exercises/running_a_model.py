"""The exercises on what a model needs to run, in the order of the chapter."""

import numpy as np

from linebyline.exercises.core import Chapter, expect_close, instead

chapter = Chapter("running_a_model", np=np)


@chapter.predict(
    "How many texts at once? · medium · 3 points · 10 minutes · may use a calculator",
    ("tokens a second for one text", "smallest number of texts for which computing takes longer"),
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


@chapter.diagnose(
    "An estimate that does not grow · medium · 3 points · 10 minutes · may use NumPy",
    """
def tokens_per_second(n, weights, bits, cache, operations):
    bandwidth, rate = 1e11, 1e12  # of our laptop
?   Bytes and operations per second: 100 GB and 1,000 billion.
    fetched = n * (weights * bits / 8 + cache)
!   fetched = weights * bits / 8 + n * cache
?   With eight texts this counts the weights eight times. But one fetch of the weights serves all texts, and only the
?   cache is fetched for each of them.
    computed = n * operations
?   Each text has its own products, so the operations do grow with the number of texts.
    seconds = max(fetched / bandwidth, computed / rate)
?   Memory and processor work at the same time, so the longer of the two times decides.
    return n / seconds
?   In this time each of the n texts gets one token.
""",
    wrong={
        "shares the cache as well": "fetched = weights * bits / 8 + cache",
        "takes bits for bytes": "fetched = weights * bits + n * cache",
        "leaves out the cache": "fetched = weights * bits / 8",
        "shares the operations": instead(3, "computed = operations"),
        "adds the two times": instead(4, "seconds = fetched / bandwidth + computed / rate"),
        "takes the shorter time": instead(4, "seconds = min(fetched / bandwidth, computed / rate)"),
        "counts one text": instead(5, "return 1 / seconds"),
    },
)
class estimate:
    def one_text(self, answer, rng):
        expect_close(answer(1, 8e9, 4, 1e9, 1e9), 20.0, "4 GB of weights and 1 GB of cache, for one text")

    def the_processor_can_decide(self, answer, rng):
        expect_close(answer(3, 8e9, 4, 1e9, 1e12), 1.0, "a trillion operations a token, for each of three texts")

    def six_texts(self, answer, rng):
        expect_close(answer(6, 8e9, 4, 1e9, 1e9), 60.0, "4 GB of weights, and 1 GB of cache for each of six texts")

    def random_sizes(self, answer, rng):
        weights = rng.uniform(1e9, 1e10)
        cache, operations = rng.uniform(1e8, 1e9, size=2)
        for n in (2, 5):
            expected = n / max((weights / 2 + n * cache) / 1e11, n * operations / 1e12)
            expect_close(answer(n, weights, 4, cache, operations), expected, f"{n} texts, with four bits per weight")
