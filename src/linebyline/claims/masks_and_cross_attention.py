"""Claims on masks in training and inference, and on who asks whom in cross-attention."""

from collections.abc import Callable

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, gap, holds, product
from linebyline.corpora import ENGLISH_SWEDISH

Mask = np.ndarray | None


def _norm(x: np.ndarray) -> np.ndarray:
    return F.layer_norm(x, np.ones(x.shape[-1]), np.zeros(x.shape[-1]))


def _stack(n_layers: int, rng: np.random.Generator, d: int = 64) -> Callable[[np.ndarray, Mask], np.ndarray]:
    """A stack of layers with normalization first and one head, at random initial weights."""
    shapes = (d, 4 * d), (4 * d, d), *4 * [(d, d)]
    layers = [[rng.normal(size=shape) / np.sqrt(shape[0]) for shape in shapes] for _ in range(n_layers)]

    def run(x: np.ndarray, mask: Mask) -> np.ndarray:
        for w_up, w_down, w_q, w_k, w_v, w_o in layers:
            z = _norm(x)
            x = x + F.scaled_dot_product_attention(z @ w_q, z @ w_k, z @ w_v, mask)[0] @ w_o
            x = x + np.maximum(_norm(x) @ w_up, 0) @ w_down
        return _norm(x)

    return run


@claim("000", "compose-masks", "The mask adds -inf above the diagonal and leaves the diagonal itself.")
@holds("With the diagonal hidden too, the first token would see nothing.")
def _upper_triangle() -> str:
    x = np.random.default_rng(0).normal(size=(10, 8))
    masks = F.causal_mask(10), np.tri(10, k=-1, dtype=bool)
    sums = [F.scaled_dot_product_attention(x, x, x, mask)[1].sum(axis=-1) for mask in masks]
    empty = [int((total < 0.5).sum()) for total in sums]
    return f"rows without a key: {empty[0]} of 10; with the diagonal hidden too: {empty[1]}"


@claim("001", "cross-attention")
@corrected("The decoder asks: its are the queries; keys and values come from the encoder.")
def _cross_wiring() -> str:
    """In the diagram the encoder gives queries and keys to the decoder, whose own part is the values."""
    q_decoder, k_encoder = np.zeros((4, 8)), np.zeros((5, 8))
    v_decoder, v_encoder = np.zeros((4, 3)), np.zeros((5, 3))
    drawn, right = product(k_encoder @ k_encoder.T, v_decoder), product(q_decoder @ k_encoder.T, v_encoder)
    return f"4 target and 5 source words, weights times values: as drawn {drawn}; {right}"


@claim("001", "teacher-forcing", "In training the decoder's input is the target sentence.")
@depends("Shifted by one, behind the start sign. Unshifted, each row holds the token it should predict.")
def _decoder_input() -> str:
    targets = np.random.default_rng(0).integers(1, 51, size=(20, 50))
    inputs = {"unshifted": targets, "shifted": np.insert(targets[:, :-1], 0, 0, axis=1)}
    hits = ", ".join(f"{(ids == targets).mean():.0%} {name}" for name, ids in inputs.items())
    return f"random targets of 50 kinds, hit by copying the input: {hits}"


@claim("001", "teacher-forcing", "The rows of the masked Swedish example are Dan, loves, ice and cream.")
@corrected("Those are the encoder's words. The decoder's are also four, so the numbers can stay.")
def _example_rows() -> str:
    *swedish, _ = ENGLISH_SWEDISH.translate("Dan loves ice cream.").target
    return f"decoder reads <sos> {' '.join(swedish)}: {1 + len(swedish)} rows; it writes {' '.join(swedish)} <eos>"


def _last_without_mask(n_layers: int) -> float:
    """By how much the last output changes when the mask is dropped, relative to its length; mean of 20 stacks."""
    changes = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, run = rng.normal(size=(10, 64)), _stack(n_layers, rng)
        masked, free = run(x, F.causal_mask(10))[-1], run(x, None)[-1]
        changes.append(np.linalg.norm(free - masked) / np.linalg.norm(masked))
    return float(np.mean(changes))


@claim("001", "mask-at-inference", "At inference nothing lies ahead, and the mask is kept for consistency.")
@corrected("True of the last token in the first layer. Tokens before it would see ahead, and layer 2 reads them.")
def _mask_at_inference() -> str:
    changes = ", ".join(f"{_last_without_mask(n):.0%}" for n in (1, 2, 4))
    return f"change of the last of 10 outputs without the mask, in 1, 2, 4 layers: {changes}"


@claim("002", "cross-attention", "Keys and values come from the encoder, the query from the translation so far.")
@holds("Every target position reads the whole source, and no other target position.")
def _keys_from_encoder() -> str:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(4, 8)), rng.normal(size=(5, 8))  # decoder, encoder

    def moved(x_new: np.ndarray, y_new: np.ndarray) -> int:
        change = F.scaled_dot_product_attention(x_new, y_new, y_new)[0] - F.scaled_dot_product_attention(x, y, y)[0]
        return int((np.abs(change) > 1e-9).any(axis=-1).sum())

    x_new, y_new = x.copy(), y.copy()
    x_new[2], y_new[2] = rng.normal(size=(2, 8))
    return f"outputs that move: {moved(x, y_new)} of 4 with a source word, {moved(x_new, y)} of 4 with a target word"


@claim("002", "cross-attention", "Keys and values map one to one; further on their numbers are n_k and n_v.")
@depends("The first decides the second: n_v = n_k. Queries may be as many as one likes.")
def _keys_and_values() -> str:
    weights = np.full((2, 5), 0.2)
    return "; ".join(product(weights, np.zeros((n_v, 3))) for n_v in (5, 4))


@claim("002", "teacher-forcing", "Masked attention matters in training only.")
@corrected("Without it what a token became would change with each new token, and caches would be wrong.")
def _mask_in_training() -> str:
    rng = np.random.default_rng(0)
    x, run = rng.normal(size=(6, 64)), _stack(2, rng)
    moved = [int((np.abs(run(x[:t], None)[0] - run(x[:1], None)[0]) > 1e-6).any()) for t in range(2, 7)]
    kept = [int((np.abs(run(x[:t], F.causal_mask(t))[0] - run(x[:1], None)[0]) > 1e-6).any()) for t in range(2, 7)]
    return f"output of the first token changes in {sum(moved)} of 5 later steps without a mask, in {sum(kept)} with it"


@claim("002", "teacher-forcing")
@holds("For all prefixes at once: one masked run gives what each prefix would give alone.")
def _pretends_prefix() -> str:
    """The mask lets training pretend that the first words are translated and the rest is unknown."""
    rng = np.random.default_rng(0)
    x, run = rng.normal(size=(6, 64)), _stack(4, rng)
    whole = run(x, F.causal_mask(6))
    error = max(np.abs(run(x[:t], F.causal_mask(t))[-1] - whole[t - 1]).max() for t in range(1, 7))
    return f"6 prefixes run alone against one masked run, 4 layers: {difference(float(error), 1e-9)}"


@claim("004", "compose-masks", "The mask is a matrix of 0 and -inf, added to the scores.")
@holds("Same weights as with a boolean mask, as long as each row has a key.")
def _additive_mask() -> str:
    q, k, v = np.random.default_rng(0).normal(size=(3, 6, 4))
    allowed = F.causal_mask(6)
    added = F.softmax(q @ k.T / 2 + np.where(allowed, 0, -np.inf)) @ v
    boolean, _ = F.scaled_dot_product_attention(q, k, v, allowed)
    return f"added against boolean mask: {difference(gap(added, boolean))}"


@claim("004", "cross-attention")
@holds("The two sequences may differ in length and in width.")
def _cross_sources() -> str:
    """Cross-attention takes keys and values from the source, queries from the current sequence."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(4, 6)), rng.normal(size=(5, 7))  # decoder, encoder
    w_q, w_k, w_v = rng.normal(size=(6, 2)), rng.normal(size=(7, 2)), rng.normal(size=(7, 3))
    output, weights = F.scaled_dot_product_attention(x @ w_q, y @ w_k, y @ w_v)
    return f"decoder {x.shape}, encoder {y.shape}: weights {weights.shape}, output {output.shape}"
