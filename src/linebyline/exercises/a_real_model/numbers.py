"""The exercises on the numbers of a file, and on the ranks of an answer."""

import json

import numpy as np

from clearformer import functional as F
from linebyline.exercises.a_real_model.folders import chapter
from linebyline.exercises.core import expect_close, expect_equal, instead


def _safetensors_file(tensors):
    """The length of the header, the header, and the numbers."""
    header, body = {}, b""
    for name, tensor in tensors.items():
        numbers = tensor.astype("<f4").tobytes()
        offsets = [len(body), len(body) + len(numbers)]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
        body += numbers
    written = json.dumps(header).encode()
    return len(written).to_bytes(8, "little") + written + body


def _draw_file(rng):
    tensors = {name: rng.normal(size=shape) for name, shape in (("a", (4,)), ("b", (3, 3)), ("c", (2, 5)))}
    return tensors, _safetensors_file(tensors)


@chapter.diagnose(
    "One tensor from a file · medium · 3 points · 10 minutes · may use NumPy",
    """
def tensor(raw, name):
    length = int.from_bytes(raw[:8], "little")
?   The first eight bytes are the length of the header, the least significant byte first.
    about = json.loads(raw[8 : 8 + length])[name]
?   The header is JSON, and has an entry for each tensor.
    begin, end = (8 + length + at for at in about["data_offsets"])
?   Offsets count from the end of the header, which is where the numbers begin.
    numbers = np.frombuffer(raw[begin:end], np.float32)
?   The tensors here have four bytes a number; nothing is copied.
    return numbers.reshape(about["shape"], order="F")
!   return numbers.reshape(about["shape"])
?   The order F fills column after column, and the file has row after row. The shape comes out right all the
?   same, and with it a square matrix is the transposed one.
""",
    wrong={
        "turns the shape as well": 'return numbers.reshape(about["shape"][::-1], order="F")',
        "turns what was mixed up": 'return numbers.reshape(about["shape"], order="F").T',
        "turns only": 'return numbers.reshape(about["shape"]).T',
        "counts offsets from the beginning of the file": instead(3, 'begin, end = about["data_offsets"]'),
        "returns the numbers in a row": "return numbers",
    },
)
class by_hand:
    def a_vector(self, answer, rng):
        tensors, file = _draw_file(rng)
        expect_close(answer(file, "a"), tensors["a"], "the 4 numbers of a vector", rtol=1e-6)

    def every_tensor_has_its_shape(self, answer, rng):
        tensors, file = _draw_file(rng)
        for name, tensor in tensors.items():
            expect_equal(list(np.shape(answer(file, name))), list(tensor.shape), f"the shape of {name}")

    def the_numbers_of_a_matrix(self, answer, rng):
        tensors, file = _draw_file(rng)
        for name in "bc":
            expect_close(answer(file, name), tensors[name], f"matrix {name} {tensors[name].shape}", rtol=1e-6)


def _ranks(states, norm, table):
    logits = norm(states) @ table.T  # (n_states, T, vocab_size)
    own = np.take_along_axis(logits, np.broadcast_to(logits[-1].argmax(-1), logits.shape[:2])[..., None], axis=-1)
    return (logits > own).sum(-1) + 1


def _ranks_by_sorting(states, norm, table):
    """Sort the tokens of each place, and look up where the last answer is."""
    order = np.argsort([-norm(state) @ table.T for state in states], axis=-1)  # (n_states, T, vocab_size)
    return np.argmax(order == order[-1, :, :1], axis=-1) + 1


def _draw_states(rng, n_states=4):
    T, d, vocab_size = (int(rng.integers(low, low + 3)) for low in (3, 4, 11))
    states, (gamma, beta) = rng.normal(size=(n_states, T, d)), rng.normal(size=(2, d))
    return states, (lambda x: F.layer_norm(x, gamma, beta)), rng.normal(size=(vocab_size, d))


def _expect_ranks(got, expected, what):
    expect_equal(np.asarray(got).tolist(), np.asarray(expected).tolist(), what)


@chapter.write(
    "How far down was the answer? · hard · 4 points · 20 minutes · may use NumPy",
    right=_ranks_by_sorting,
    wrong={
        "asks each state for its own answer": lambda states, norm, table: np.ones(states.shape[:2], dtype=int),
        "counts from 0": lambda states, norm, table: _ranks(states, norm, table) - 1,
        "leaves the norm out": lambda states, norm, table: _ranks(states, lambda x: x, table),
        "takes the last state through the norm twice": lambda states, norm, table: _ranks(
            np.concatenate([states[:-1], norm(states[-1:])]), norm, table
        ),
        "looks for the answer of the first state": lambda states, norm, table: _ranks(states[::-1], norm, table)[::-1],
        "counts from the worst": lambda states, norm, table: len(table) + 1 - _ranks(states, norm, table),
    },
)
class ranks:
    def three_states_by_hand(self, answer, rng):
        table = np.array([[3.0, 0.0], [2.0, 1.0], [0.0, 3.0], [0.0, -1.0]])
        states = np.array([[[1.0, 0.1]], [[0.5, 0.4]], [[0.1, 1.0]]])  # logits of the last: 0.3, 1.2, 3, -1
        _expect_ranks(answer(states, lambda x: x, table), [[3], [3], [1]], "ranks with three states")

    def the_rank_in_every_state(self, answer, rng):
        case = _draw_states(rng)
        _expect_ranks(answer(*case), _ranks(*case), "ranks in four states")

    def the_last_state_ranks_its_answer_first(self, answer, rng):
        case = _draw_states(rng, n_states=1)
        _expect_ranks(answer(*case), [[1] * case[0].shape[1]], "ranks in the only state")

    def the_norm_is_applied_to_every_state(self, answer, rng):
        states, _, table = _draw_states(rng)
        case = states, (lambda x: -x), table
        _expect_ranks(answer(*case), _ranks(*case), "ranks with a norm that turns signs")
