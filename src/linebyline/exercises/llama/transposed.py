"""llama.transposed: (tensors (out, in) of a block) -> its weights (in, out), one of them the wrong way round."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close

D_MODEL, D_FF, D_KV = 6, 10, 2


def _draw(rng: Rng) -> dict[str, np.ndarray]:
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


def _shapes(answer: Answer, rng: Rng) -> None:
    got = answer(_draw(rng))
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


def _queries_keys_values(answer: Answer, rng: Rng) -> None:
    tensors, x = _draw(rng), rng.normal(size=(3, D_MODEL))
    expected = [np.einsum("ti,oi->to", x, tensors[f"{name}_proj"]) for name in "qkv"]
    expect_close(x @ answer(tensors)["w_qkv"], np.concatenate(expected, axis=-1), "queries, keys and values of 3 rows")


def _output(answer: Answer, rng: Rng) -> None:
    tensors, heads = _draw(rng), rng.normal(size=(3, D_MODEL))
    expected = np.einsum("ti,oi->to", heads, tensors["o_proj"])
    expect_close(heads @ answer(tensors)["w_o"], expected, "what attention makes of the heads of 3 rows")


def _feed_forward(answer: Answer, rng: Rng) -> None:
    tensors, x = _draw(rng), rng.normal(size=(3, D_MODEL))
    gate, up = (np.einsum("ti,oi->to", x, tensors[f"{name}_proj"]) for name in ("gate", "up"))
    expected = np.einsum("ti,oi->to", F.silu(gate) * up, tensors["down_proj"])
    got = answer(tensors)
    weights = [np.asarray(got[name]) for name in ("w_gate", "w_up", "w_down")]
    expect_close(F.gated_feed_forward(x, *weights), expected, "the feed-forward layer of 3 rows")


_TURN = "turned = {name: tensor.T for name, tensor in tensors.items()}"
_QKV = 'qkv = [turned[name] for name in ("q_proj", "k_proj", "v_proj")]'
_JOIN = 'weights = {"w_qkv": np.concatenate(qkv, axis=1)}'
_OUT = 'weights["w_o"] = tensors["o_proj"]'
_LOOP = 'for part in ("gate", "up", "down"):'
_EACH = 'weights[f"w_{part}"] = turned[f"{part}_proj"]'
_RETURN = "return weights"
_BROKEN = Code(
    """
def block_weights(tensors):
    turned = {name: tensor.T for name, tensor in tensors.items()}
    qkv = [turned[name] for name in ("q_proj", "k_proj", "v_proj")]
    weights = {"w_qkv": np.concatenate(qkv, axis=1)}
    weights["w_o"] = tensors["o_proj"]
    for part in ("gate", "up", "down"):
        weights[f"w_{part}"] = turned[f"{part}_proj"]
    return weights
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_OUT, 'weights["w_o"] = turned["o_proj"]')

EXERCISE = Diagnose(
    id="llama.transposed",
    title="All shapes are right, and the text is noise",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("each matrix has its shape", _shapes),
        Law("queries, keys and values", _queries_keys_values),
        Law("the output of attention", _output),
        Law("the feed-forward layer", _feed_forward),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "This matrix is taken from the file as it lies there, (out, in). It is square, so it fits either way round: "
        "no shape complains, and what the heads found is mixed up."
    ),
    innocent={
        _TURN: "Every tensor of the file is (out, in), as `torch.nn.Linear` keeps it; here rows meet (in, out).",
        _QKV: "Queries, keys and values in the order in which they stand side by side, each turned.",
        _JOIN: "Side by side is along the axis of outputs, which is the last one after turning.",
        _LOOP: "The three matrices of the gated layer, by the names that both sides share.",
        _EACH: "Taken from what was turned: gate and up lead from 6 to 10 features, down leads back.",
        _RETURN: "All five matrices of the block.",
    },
    wrong_answers={
        "turns queries, keys and values back": _BROKEN.replace_line(
            _QKV, 'qkv = [tensors[name].reshape(6, -1) for name in ("q_proj", "k_proj", "v_proj")]'
        ),
        "turns it twice": _BROKEN.replace_line(_OUT, 'weights["w_o"] = turned["o_proj"].T'),
        "takes the matrix of the queries": _BROKEN.replace_line(_OUT, 'weights["w_o"] = turned["q_proj"]'),
        "reshapes in place of turning": _BROKEN.replace_line(_OUT, 'weights["w_o"] = tensors["o_proj"].reshape(6, 6)'),
        "turns nothing at all": _BROKEN.replace_line(_TURN, "turned = dict(tensors)"),
        "inverts it": _BROKEN.replace_line(_OUT, 'weights["w_o"] = np.linalg.inv(tensors["o_proj"])'),
        "puts values before keys": _FIXED.replace_line(
            _QKV, 'qkv = [turned[name] for name in ("q_proj", "v_proj", "k_proj")]'
        ),
        "takes the layer as it lies in the file": _FIXED.replace_line(
            _EACH, 'weights[f"w_{part}"] = tensors[f"{part}_proj"]'
        ),
    },
)
