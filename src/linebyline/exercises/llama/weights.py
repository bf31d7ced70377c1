"""The exercises on the weights of a block, and on four bits a weight."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import also, expect_close, instead
from linebyline.exercises.llama.names import chapter

D_MODEL, D_FF, D_KV = 6, 10, 2


def _draw_block(rng):
    shapes = {
        "q_proj": (D_MODEL, D_MODEL),
        "k_proj": (D_KV, D_MODEL),
        "v_proj": (D_KV, D_MODEL),
        "o_proj": (D_MODEL, D_MODEL),
        "gate_proj": (D_FF, D_MODEL),
        "up_proj": (D_FF, D_MODEL),
        "down_proj": (D_MODEL, D_FF),
    }
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def _linear(x, weight):
    return np.einsum("ti,oi->to", x, weight)


@chapter.diagnose(
    "All shapes are right, and the text is noise · medium · 3 points · 15 minutes · may use NumPy",
    """
def block_weights(tensors):
    turned = {name: tensor.T for name, tensor in tensors.items()}
?   Every tensor of the file is (out, in), as `torch.nn.Linear` keeps it; here rows meet (in, out).
    qkv = [turned[name] for name in ("q_proj", "k_proj", "v_proj")]
?   Queries, keys and values in the order in which they stand side by side, each turned.
    weights = {"w_qkv": np.concatenate(qkv, axis=1)}
?   Side by side is along the axis of outputs, which is the last one after turning.
    weights["w_o"] = tensors["o_proj"]
!   weights["w_o"] = turned["o_proj"]
?   This matrix is taken from the file as it lies there, (out, in). It is square, so it fits either way round:
?   no shape complains, and what the heads found is mixed up.
    for part in ("gate", "up", "down"):
?   The three matrices of the gated layer, by the names that both sides share.
        weights[f"w_{part}"] = turned[f"{part}_proj"]
?   Taken from what was turned: gate and up lead from 6 to 10 features, down leads back.
    return weights
?   All five matrices of the block.
""",
    wrong={
        "turns queries, keys and values back": instead(
            2, 'qkv = [tensors[name].reshape(6, -1) for name in ("q_proj", "k_proj", "v_proj")]'
        ),
        "turns it twice": 'weights["w_o"] = turned["o_proj"].T',
        "takes the matrix of the queries": 'weights["w_o"] = turned["q_proj"]',
        "reshapes in place of turning": 'weights["w_o"] = tensors["o_proj"].reshape(6, 6)',
        "turns nothing at all": instead(1, "turned = dict(tensors)"),
        "inverts it": 'weights["w_o"] = np.linalg.inv(tensors["o_proj"])',
        "puts values before keys": also(2, 'qkv = [turned[name] for name in ("q_proj", "v_proj", "k_proj")]'),
        "takes the layer as it lies in the file": also(6, 'weights[f"w_{part}"] = tensors[f"{part}_proj"]'),
    },
)
class transposed:
    def each_matrix_has_its_shape(self, answer, rng):
        got = answer(_draw_block(rng))
        expected = {
            "w_qkv": (D_MODEL, D_MODEL + 2 * D_KV),
            "w_o": (D_MODEL, D_MODEL),
            "w_gate": (D_MODEL, D_FF),
            "w_up": (D_MODEL, D_FF),
            "w_down": (D_FF, D_MODEL),
        }
        assert isinstance(got, dict) and set(got) == set(expected), f"expected {sorted(expected)}, got {got!r:.60}"
        for name, shape in expected.items():
            assert np.shape(got[name]) == shape, f"{name}: expected shape {shape}, got {np.shape(got[name])}"

    def queries__keys_and_values(self, answer, rng):
        tensors, x = _draw_block(rng), rng.normal(size=(3, D_MODEL))
        expected = np.concatenate([_linear(x, tensors[f"{name}_proj"]) for name in "qkv"], axis=-1)
        expect_close(x @ answer(tensors)["w_qkv"], expected, "queries, keys and values of 3 rows")

    def the_output_of_attention(self, answer, rng):
        tensors, heads = _draw_block(rng), rng.normal(size=(3, D_MODEL))
        expected = _linear(heads, tensors["o_proj"])
        expect_close(heads @ answer(tensors)["w_o"], expected, "what attention makes of the heads of 3 rows")

    def the_feed_forward_layer(self, answer, rng):
        """the feed-forward layer"""
        tensors, x = _draw_block(rng), rng.normal(size=(3, D_MODEL))
        gate, up = _linear(x, tensors["gate_proj"]), _linear(x, tensors["up_proj"])
        expected, got = _linear(F.silu(gate) * up, tensors["down_proj"]), answer(tensors)
        weights = [np.asarray(got[name]) for name in ("w_gate", "w_up", "w_down")]
        expect_close(F.gated_feed_forward(x, *weights), expected, "the feed-forward layer of 3 rows")


OFFSET = 8  # a code from -8 to 7 is kept as a number from 0 to 15


def _unpack(packed):
    halves = np.stack([packed & 15, packed >> 4], axis=-1)  # (n, d / 2, 2)
    return halves.reshape(len(packed), -1).astype(int) - OFFSET


def _pack(codes):
    shifted = (codes + OFFSET).astype(np.uint8)
    return shifted[:, ::2] | shifted[:, 1::2] << 4


def _multiplying(codes_of):
    """An answer that multiplies with the codes ``codes_of(packed)``, times the steps of their groups."""

    def product(x, packed, steps):
        codes = codes_of(packed)  # (n, d)
        return x @ (codes * steps.repeat(codes.shape[1] // steps.shape[1], axis=1)).T

    return product


_product = _multiplying(_unpack)


def _product_of_even_and_odd(x, packed, steps):
    """Group by group, even columns and odd ones apart."""
    total = np.zeros((len(x), len(packed)))
    for columns, codes in ((x[:, ::2], packed % 16), (x[:, 1::2], packed // 16)):
        groups = np.split(codes.astype(float) - 8, steps.shape[1], axis=1)
        for group, part, step in zip(groups, np.split(columns, steps.shape[1], axis=1), steps.T, strict=True):
            total += (part @ group.T) * step
    return total


def _draw_product(rng, size=4, n_groups=3):
    """Draw x, packed codes and steps, and compute the product with weights that are made without unpacking."""
    n, d = int(rng.integers(2, 6)), size * n_groups
    codes, steps = rng.integers(-8, 8, size=(n, d)), rng.uniform(0.1, 2, size=(n, n_groups))
    weights = np.array([[codes[i, j] * steps[i, j // size] for j in range(d)] for i in range(n)])
    x = rng.normal(size=(int(rng.integers(1, 5)), d))
    return (x, _pack(codes), steps), x @ weights.T


@chapter.write(
    "Two weights in a byte · hard · 4 points · 25 minutes · may use NumPy",
    entry="product",
    right=_product_of_even_and_odd,
    wrong={
        "takes the high four bits first": lambda x, packed, steps: _product(x, packed << 4 | packed >> 4, steps),
        "forgets the offset": _multiplying(lambda packed: _unpack(packed) + OFFSET),
        "takes an offset of 7": _multiplying(lambda packed: _unpack(packed) + 1),
        "reads the codes as two's complement": _multiplying(lambda packed: (_unpack(packed) + OFFSET + 8) % 16 - 8),
        "subtracts before it has a sign": _multiplying(
            lambda packed: (_unpack(packed) + OFFSET).astype(np.uint8) - np.uint8(OFFSET)
        ),
        "puts the low halves before the high ones": _multiplying(
            lambda packed: np.concatenate([packed & 15, packed >> 4], axis=1).astype(int) - OFFSET
        ),
        "deals the steps out in turn": lambda x, p, s: x @ (_unpack(p) * np.tile(s, 2 * p.shape[1] // s.shape[1])).T,
        "takes the first step for all of a row": lambda x, packed, steps: _product(x, packed, steps[:, :1]),
        "leaves the steps out": lambda x, packed, steps: _product(x, packed, np.ones_like(steps)),
    },
)
class int4:
    def a_case_worked_by_hand(self, answer, rng):
        packed = np.array([[0x98, 0x7F]], dtype=np.uint8)  # 0, 1, then 7, -1
        got = answer(np.eye(4), packed, np.array([[1.0, 10.0]]))
        expect_close(got, [[0], [1], [70], [-10]], "the codes 0, 1, 7, -1 with steps 1 and 10")

    def random_codes__steps_and_rows(self, answer, rng):
        case, expected = _draw_product(rng)
        expect_close(answer(*case), expected, "three groups of four weights a row")

    def one_group_a_row(self, answer, rng):
        case, expected = _draw_product(rng, size=6, n_groups=1)
        expect_close(answer(*case), expected, "one step for all of a row")

    def large_groups(self, answer, rng):
        case, expected = _draw_product(rng, size=32, n_groups=2)
        expect_close(answer(*case), expected, "two groups of 32 weights a row")

    def the_smallest_and_the_largest_code(self, answer, rng):
        codes, steps = np.tile([-8, 7], (2, 4)), rng.uniform(1, 2, size=(2, 2))
        expected = np.repeat(steps, 4, axis=1) * codes
        expect_close(answer(np.eye(8), _pack(codes), steps), expected.T, "the smallest and the largest code")
