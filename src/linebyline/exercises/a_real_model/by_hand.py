"""a_real_model.by_hand: (the bytes of a safetensors file, a name) -> the tensor, its rows and columns mixed up."""

import json

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close, expect_equal


def _file(tensors: dict[str, np.ndarray]) -> bytes:
    """Write a file as the format wants it: the length of the header, the header, and the numbers."""
    header: dict[str, dict[str, object]] = {}
    body = b""
    for name, tensor in tensors.items():
        numbers = tensor.astype("<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(numbers)],
        }
        body += numbers
    written = json.dumps(header).encode()
    return len(written).to_bytes(8, "little") + written + body


def _draw(rng: Rng) -> dict[str, np.ndarray]:
    return {name: rng.normal(size=shape) for name, shape in (("a", (4,)), ("b", (3, 3)), ("c", (2, 5)))}


def _vector(answer: Answer, rng: Rng) -> None:
    tensors = _draw(rng)
    expect_close(answer(_file(tensors), "a"), tensors["a"], "the 4 numbers of a vector", rtol=1e-6)


def _shapes(answer: Answer, rng: Rng) -> None:
    tensors = _draw(rng)
    for name, tensor in tensors.items():
        expect_equal(list(np.shape(answer(_file(tensors), name))), list(tensor.shape), f"the shape of {name}")


def _matrix(answer: Answer, rng: Rng) -> None:
    tensors = _draw(rng)
    for name in "bc":
        expect_close(answer(_file(tensors), name), tensors[name], f"matrix {name} {tensors[name].shape}", rtol=1e-6)


_LENGTH = 'length = int.from_bytes(raw[:8], "little")'
_HEADER = "about = json.loads(raw[8 : 8 + length])[name]"
_WHERE = 'begin, end = (8 + length + at for at in about["data_offsets"])'
_NUMBERS = "numbers = np.frombuffer(raw[begin:end], np.float32)"
_RETURN = 'return numbers.reshape(about["shape"], order="F")'
_BROKEN = Code(
    f"""
def tensor(raw, name):
    {_LENGTH}
    {_HEADER}
    {_WHERE}
    {_NUMBERS}
    {_RETURN}
""",
    np=np,
    json=json,
)

EXERCISE = Diagnose(
    id="a_real_model.by_hand",
    title="A matrix that lies the other way",
    difficulty="medium",
    points=3,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a vector", _vector),
        Law("every tensor has its shape", _shapes),
        Law("the numbers of a matrix", _matrix),
    ),
    broken=_BROKEN,
    fixed=_BROKEN.replace_line(_RETURN, 'return numbers.reshape(about["shape"])'),
    why=(
        "The order F fills column after column, and the file has row after row. The shape comes out right all the "
        "same, and with it a square matrix is the transposed one."
    ),
    innocent={
        _LENGTH: "The first eight bytes are the length of the header, the least significant byte first.",
        _HEADER: "The header is JSON, and has an entry for each tensor.",
        _WHERE: "Offsets count from the end of the header, which is where the numbers begin.",
        _NUMBERS: "The tensors here have four bytes a number; nothing is copied.",
    },
    wrong_answers={
        "turns the shape as well": _BROKEN.replace_line(
            _RETURN, 'return numbers.reshape(about["shape"][::-1], order="F")'
        ),
        "turns what was mixed up": _BROKEN.replace_line(_RETURN, 'return numbers.reshape(about["shape"], order="F").T'),
        "turns only": _BROKEN.replace_line(_RETURN, 'return numbers.reshape(about["shape"]).T'),
        "counts offsets from the beginning of the file": _BROKEN.replace_line(
            _WHERE, 'begin, end = about["data_offsets"]'
        ),
        "returns the numbers in a row": _BROKEN.replace_line(_RETURN, "return numbers"),
    },
)
