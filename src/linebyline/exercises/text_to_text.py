"""The exercises on text to text, in the order of the chapter."""

import numpy as np
import torch

from clearformer import functional as F
from clearformer.training import corrupt_spans, random_span_mask
from linebyline.exercises.core import Chapter, also, expect_close, instead

chapter = Chapter("text_to_text", np=np)


@chapter.predict(
    "What is left of a text · easy · 2 points · 10 minutes · may use a calculator",
    ("tokens that are read", "tokens that are written"),
    within=0.002,
    right=(512 - 77 + 26, 77 + 26 + 1),
    wrong={
        "The second is right. But for each span a sentinel stays in what is read.": (435, 104),
        "The first is right. But a sentinel is before each written span, too, and one behind the last.": (461, 77),
        "Nearly: one more sentinel ends what is written, so that nobody waits for another span.": (461, 103),
        "A sentinel stands for a span, not for a token: it is no mask.": (512, 77),
        "Where a token is hidden is not marked by as many sentinels: there is one for each span.": (512, 155),
    },
)
def lengths(rng, length=512, sentinel=1000):
    """Hide spans of a text, and count."""
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    ids = torch.from_numpy(rng.integers(sentinel, size=length))
    spans = random_span_mask(length, generator=generator)
    return [len(part) for part in corrupt_spans(ids, spans, range(sentinel, sentinel + 100))]


@chapter.predict(
    "Equal weights, unequal work · easy · 2 points · 10 minutes · may use a calculator",
    ("work of the decoder alone, as a multiple", "blocks of a decoder alone for the same work"),
    within=0.005,
    right=(2, 6),
    wrong={
        "As many weights are not as much work: through how many of its blocks does a token of the source go?": (1, 12),
        "The first is right. But every token of both stacks goes through 6 blocks, those of the target, too.": (2, 4.5),
        "The first is right. But that is as many blocks as before, and they do twice the work.": (2, 12),
        "The source is read by both: a decoder alone reads it as the beginning of its text.": (0.5, 6),
        "The tokens of the target do not go through the encoder, nor those of the source through the decoder.": (1, 6),
    },
)
def half(rng, source=90, target=30, blocks=12):
    """Add up, token by token, how many blocks it goes through."""
    decoder_alone = sum(blocks for _ in range(source + target))
    both = sum(blocks // 2 for _ in range(source)) + sum(blocks // 2 for _ in range(target))
    return decoder_alone / both, both / (source + target)


@chapter.predict(
    "Buckets that nobody uses · medium · 3 points · 15 minutes · may use pen and paper",
    ("buckets an encoder uses", "buckets a decoder uses"),
    within=0.005,
    right=(31, 32),
    wrong={
        "The second is right. But distance 0 is neither ahead nor behind: of which half is its bucket?": (32, 32),
        "The first is right. But a decoder has one direction only, and all buckets are for it.": (31, 16),
        "The first is right. But a decoder sees distance 0, and sorts it like any other.": (31, 31),
        "The far buckets are used as well: the last one of a direction holds all that is beyond.": (30, 31),
        "These are the buckets that hold one distance each; the others hold several.": (16, 16),
    },
)
def unused(rng, T=1000):
    """Sort all distances of a long text into buckets, and count those that hold any."""
    encoder, decoder = (
        F.relative_buckets(T, T, n_buckets=32, max_distance=128, bidirectional=bidirectional)
        for bidirectional in (True, False)
    )
    return len(np.unique(encoder)), len(np.unique(decoder[F.causal_mask(T)]))


@chapter.diagnose(
    "Right in training, wrong in writing · medium · 3 points · 15 minutes · may use NumPy",
    """
def distance_bias(table, T, S):
    t = np.arange(T)[:, None]  # (T, 1)
!   t = np.arange(S - T, S)[:, None]  # (T, 1)
?   The queries are counted from 0, whatever came before them. While all tokens are there at once, T is S and
?   nothing is wrong; with keys that are kept from earlier steps the new token takes itself for the first one.
    back = np.maximum(t - np.arange(S), 0)  # (T, S)
?   How far back each key stands from its query. Keys ahead are hidden by the mask; 0 does for them.
    bucket = np.minimum(back, len(table) - 1)
?   All that is farther than the table is long shares its last row. That is what buckets are for.
    return table[bucket].transpose(2, 0, 1)
?   A number for each head and each pair of query and key, with the heads in front as scores have them.
""",
    wrong={
        "counts the keys from the end as well": instead(
            2, "back = np.maximum(t - np.arange(S) + S - T + 1, 0)  # (T, S)"
        ),
        "moves the queries by one too many": "t = np.arange(S - T + 1, S + 1)[:, None]  # (T, 1)",
        "moves every query to the end": "t = np.full((T, 1), S - 1)  # (T, 1)",
        "counts the queries backwards": "t = np.arange(S - 1, S - T - 1, -1)[:, None]  # (T, 1)",
        "lets distances ahead be as far as those behind": instead(2, "back = np.abs(t - np.arange(S))  # (T, S)"),
        "gives each distance a row, round and round": also(3, "bucket = back % len(table)"),
        "puts the heads last": also(4, "return table[bucket]"),
        "turns queries and keys around": also(4, "return table[bucket].transpose(2, 1, 0)"),
    },
)
class bias:
    def _pair_by_pair(self, table, T, S):
        rows = [[min(max(t - s, 0), 6) for s in range(S)] for t in range(S - T, S)]
        return table[np.array(rows)].transpose(2, 0, 1)

    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([[0.0], [10.0], [20.0], [30.0]]), 3, 3)
        expect_close(got, [[[0, 0, 0], [10, 0, 0], [20, 10, 0]]], "three tokens, a table of 0, 10, 20, 30")

    def all_tokens_at_once(self, answer, rng):
        table, T = rng.normal(size=(7, 3)), int(rng.integers(3, 12))
        expect_close(answer(table, T, T), self._pair_by_pair(table, T, T), f"all of {T} tokens at once")

    def one_new_token_is_the_last_of_all(self, answer, rng):
        table, S = rng.normal(size=(7, 3)), int(rng.integers(4, 9))
        last = np.asarray(answer(table, S, S))[:, -1:]
        expect_close(answer(table, 1, S), last, f"one new token of {S}, against the last row of all")

    def some_new_tokens(self, answer, rng):
        table, T, S = rng.normal(size=(7, 3)), int(rng.integers(2, 4)), int(rng.integers(5, 12))
        expect_close(answer(table, T, S), self._pair_by_pair(table, T, S), f"the last {T} of {S} tokens")

    def far_tokens_share_a_number(self, answer, rng):
        table = rng.normal(size=(7, 3))
        expect_close(np.asarray(answer(table, 20, 20))[:, -1, :10], np.tile(table[-1][:, None], 10), "far tokens")


def _mixture(sizes, limit, temperature):
    return _normalized(np.minimum(sizes, limit) ** (1 / temperature))


def _normalized(rates):
    return rates / rates.sum()


def _draw_sizes(rng):
    return rng.permutation(np.round(10 ** rng.uniform(1, 6, size=5)))


@chapter.write(
    "How often each task comes · medium · 3 points · 15 minutes · may use NumPy",
    right=lambda sizes, limit, temperature: F.softmax(np.log(np.clip(sizes, None, limit)) / temperature),
    wrong={
        "draws all tasks alike": lambda sizes, limit, T: np.full(len(sizes), 1 / len(sizes)),
        "has no limit": lambda sizes, limit, T: _mixture(sizes, np.inf, T),
        "limits rates, not sizes": lambda sizes, limit, T: np.minimum(_mixture(sizes, np.inf, T), limit / sizes.sum()),
        "multiplies by the temperature": lambda sizes, limit, T: _mixture(sizes, limit, 1 / T),
        "divides by the temperature": lambda sizes, limit, T: _normalized(np.minimum(sizes, limit) / T),
        "takes a softmax": lambda sizes, limit, T: _normalized(np.exp((np.minimum(sizes, limit) - limit) / T)),
        "leaves out who is above the limit": lambda n, limit, T: _normalized(np.where(n <= limit, n, 0.0) ** (1 / T)),
        "applies the limit after the temperature": lambda n, limit, T: _normalized(np.minimum(n ** (1 / T), limit)),
        "does not normalize": lambda sizes, limit, T: np.minimum(sizes, limit) ** (1 / T) / sizes.sum(),
        "writes into the sizes": lambda sizes, limit, T: _mixture(np.minimum(sizes, limit, out=sizes), limit, T),
    },
)
class mixture:
    def a_case_worked_by_hand(self, answer, rng):
        sizes = np.array([100.0, 400.0, 3000.0])
        expect_close(answer(sizes, 900.0, 1.0), [1 / 14, 4 / 14, 9 / 14], "a limit of 900")
        expect_close(answer(sizes, 900.0, 2.0), [1 / 6, 2 / 6, 3 / 6], "a limit of 900, temperature 2")

    def random_sizes__limits_and_temperatures(self, answer, rng):
        sizes, limit, temperature = _draw_sizes(rng), float(rng.uniform(50, 5e5)), float(rng.uniform(0.5, 4))
        what = f"sizes {sizes}, limit {limit:.0f}, T={temperature:.2f}"
        expect_close(answer(sizes, limit, temperature), _mixture(sizes, limit, temperature), what)

    def rates_sum_to_one(self, answer, rng):
        expect_close(np.sum(answer(_draw_sizes(rng), 1e4, 3.0)), 1.0, "the sum of all rates")

    def below_the_limit_each_example_is_as_likely(self, answer, rng):
        sizes = _draw_sizes(rng)
        expect_close(answer(sizes, 1e9, 1.0), _normalized(sizes), "no task at the limit, temperature 1")

    def a_high_temperature_makes_tasks_equal(self, answer, rng):
        expect_close(answer(_draw_sizes(rng), 1e5, 1e12), np.full(5, 0.2), "a temperature of 1e12", rtol=1e-6)


def _prefix_mask(lengths, T):
    t = np.arange(T)
    return (t <= t[:, None]) | (t < lengths[:, None, None])


def _before_each_end(lengths, T):
    """A token sees what is before its own end or that of the prefix, whichever is farther."""
    ends = np.maximum(np.arange(1, T + 1), lengths[:, None])  # (B, T)
    return np.arange(T) < ends[..., None]


def _query_in_prefix(lengths, T):
    return np.arange(T)[:, None] < lengths[:, None, None]


def _draw_prefixes(rng):
    T = int(rng.integers(5, 9))
    return rng.permutation(T + 1)[:4], T


@chapter.write(
    "A decoder that reads its prefix at once · medium · 3 points · 15 minutes · may use NumPy",
    right=_before_each_end,
    wrong={
        "is causal throughout": lambda lengths, T: _prefix_mask(0 * lengths, T),
        "lets everybody see everything": lambda lengths, T: np.ones((len(lengths), T, T), dtype=bool),
        "hides the prefix from what follows it": lambda lengths, T: F.causal_mask(T) & _query_in_prefix(lengths, T),
        "lets the prefix see what follows it": lambda lengths, T: F.causal_mask(T) | _query_in_prefix(lengths, T),
        "takes one token more for the prefix": lambda lengths, T: _prefix_mask(lengths + 1, T),
        "takes the first length for all": lambda lengths, T: _prefix_mask(np.full_like(lengths, lengths[0]), T),
        "looks ahead, not back": lambda lengths, T: _prefix_mask(lengths, T).swapaxes(-1, -2),
        "gives numbers to add": lambda lengths, T: np.where(_prefix_mask(lengths, T), 0.0, -np.inf),
    },
)
class prefix_mask:
    def a_case_worked_by_hand(self, answer, rng):
        expected = [[[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]]
        expect_close(answer(np.array([2]), 4), np.array(expected, dtype=bool), "a prefix of 2 of 4 tokens")

    def each_pair_of_places(self, answer, rng):
        lengths, T = _draw_prefixes(rng)
        got = np.asarray(answer(lengths, T))
        for b, n in enumerate(lengths):
            expected = [[s <= t or (t < n and s < n) for s in range(T)] for t in range(T)]
            expect_close(got[b], expected, f"a prefix of {n} of {T} tokens")

    def without_a_prefix_the_mask_is_causal(self, answer, rng):
        T = int(rng.integers(4, 8))
        expect_close(answer(np.zeros(2, dtype=int), T), np.stack([F.causal_mask(T)] * 2), "none")

    def a_prefix_alone_is_read_as_by_an_encoder(self, answer, rng):
        T = int(rng.integers(4, 8))
        expect_close(answer(np.array([T]), T), np.ones((1, T, T), dtype=bool), "nothing but a prefix")

    def the_mask_is_boolean(self, answer, rng):
        kind = np.asarray(answer(*_draw_prefixes(rng))).dtype
        assert kind == np.bool_, f"a mask is boolean: expected bool, got {kind}"
