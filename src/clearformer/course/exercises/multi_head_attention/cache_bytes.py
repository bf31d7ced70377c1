"""multi_head_attention.cache_bytes: (n_layers, n_kv_heads, d_k, tokens, bytes_per_number) -> bytes."""

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _cache_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(1, 1, 1, 1, 1), 2, "one number for the key, one for the value")
    expect_close(answer(2, 3, 5, 7, 4), 1680, "2 layers, 3 heads of 5 features, 7 tokens, 4 bytes")


def _cache_of_a_model(answer: Answer, rng: Rng) -> None:
    expect_close(answer(32, 8, 128, 1, 2), 131072, "32 layers, 8 heads of 128 features, 1 token, 2 bytes")


def _cache_grows(answer: Answer, rng: Rng) -> None:
    sizes = [int(size) for size in rng.integers(2, 9, size=5)]
    names = ("n_layers", "n_kv_heads", "d_k", "tokens", "bytes_per_number")
    for place, name in enumerate(names):
        doubled = [size * (1 + (i == place)) for i, size in enumerate(sizes)]
        expect_close(answer(*doubled), 2 * answer(*sizes), f"twice as large {name}")


EXERCISE = Write(
    id="multi_head_attention.cache_bytes",
    title="What a conversation costs",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="arithmetic",
    laws=(
        Law("cases worked by hand", _cache_by_hand),
        Law("a model of 32 layers", _cache_of_a_model),
        Law("twice of anything is twice the cache", _cache_grows),
    ),
    wrong_answers={
        "forgets the values": lambda layers, heads, d_k, tokens, width: layers * heads * d_k * tokens * width,
        "keeps the queries, too": lambda layers, heads, d_k, tokens, width: 3 * layers * heads * d_k * tokens * width,
        "counts one layer": lambda layers, heads, d_k, tokens, width: 2 * heads * d_k * tokens * width,
        "keeps the scores, too": lambda layers, heads, d_k, tokens, width: (
            layers * heads * (2 * d_k * tokens + tokens**2) * width
        ),
        "counts numbers, not bytes": lambda layers, heads, d_k, tokens, width: 2 * layers * heads * d_k * tokens,
    },
)
