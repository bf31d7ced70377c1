"""The protocol: what laws pass and answers return comes back as it was, and nothing a stranger writes is believed."""

import contextlib
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from linebyline.grading.peer import from_bytes, length, to_bytes
from linebyline.grading.protocol import (
    KINDS,
    LARGEST,
    ProtocolError,
    ReprOnly,
    pack,
    pack_error,
    safe_text,
    unpack,
    unpack_error,
)
from tests.few import few


def sent(value: Any) -> Any:
    """A value as it is on the other side."""

    def refuse(*_: Any) -> Any:
        raise AssertionError("no function is among these")

    framed = to_bytes(pack(value, refuse))
    assert length(framed[:8]) == len(framed) - 8
    return unpack(from_bytes(framed[8:]), refuse)


def same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray | np.generic):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return one == other or one != one


DTYPES = hnp.boolean_dtypes() | hnp.integer_dtypes() | hnp.floating_dtypes() | hnp.complex_number_dtypes()
ARRAYS = hnp.arrays(DTYPES | hnp.unsigned_integer_dtypes(), hnp.array_shapes(min_dims=0, min_side=0))
ATOMS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
KEYS = st.one_of(st.integers(), st.text(), st.tuples(st.text(), st.text()))
VALUES = st.recursive(
    ATOMS | st.just(...) | ARRAYS | hnp.from_dtype(np.dtype(float)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
        st.sets(KEYS, max_size=4),
        st.frozensets(KEYS, max_size=4),
    ),
    max_leaves=8,
)


@few
@given(VALUES)
def test_a_value_comes_back_as_it_was(value) -> None:
    assert same(sent(value), value)


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64]
)
def test_a_tensor_comes_back_as_it_was(dtype: torch.dtype) -> None:
    tensor = torch.tensor([[0.0, 1.0, 3.0]]).to(dtype)
    back = sent(tensor)
    assert back.dtype == dtype and torch.equal(back, tensor)


def test_what_does_not_travel_is_its_text() -> None:
    assert repr(sent(np.array([None]))) == "array([None], dtype=object)"
    assert isinstance(sent(slice(1, 2)), ReprOnly)
    back = sent(np.array(["a"]))
    assert isinstance(back, ReprOnly) and "a" in repr(back)


def test_a_container_in_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ProtocolError, match="at most 50 containers"):
        sent(loop)


ERRORS = [ValueError("a\nb"), KeyError("a"), np.linalg.LinAlgError("x"), np.exceptions.AxisError("x"), UnicodeError()]


@pytest.mark.parametrize("error", [*ERRORS, AssertionError(), KeyboardInterrupt(), SystemExit(3), GeneratorExit()])
def test_an_error_keeps_its_kinds_and_its_words_and_ends_no_process(error: BaseException) -> None:
    back = unpack_error(pack_error(error))
    assert (type(back).__name__, str(back)) == (type(error).__name__, str(error))
    assert isinstance(back, Exception)
    for kind in (ValueError, IndexError, KeyError, LookupError, AssertionError, TypeError):
        assert isinstance(back, kind) == isinstance(error, kind)


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        (["array", "|O", [1], "AAAAAAAAAAA="], f"kinds {KINDS}, got '.O'"),
        (["array", "<M8[s]", [1], "AAAAAAAAAAA="], "kinds"),
        (["array", "<f8,<f8", [1], "AAAAAAAAAAA="], "kinds"),
        (["array", "<f3", [1], "AAAAAAAAAAA="], "kinds"),
        (["array", "<f8", [2], "AAAAAAAAAAA="], "expected 2 numbers of 8 bytes, got 8 bytes"),
        (["array", "<f8", [-1, -1], "AAAAAAAAAAA="], "expected a shape"),
        (["array", "<f8", [2**62, 2**62, 0], ""], "expected a shape"),
        (["array", "<f8", [2**40, 0], ""], "expected a shape"),
        (["array", "<f8", [True], "AAAAAAAAAAA="], "expected a shape"),
        (["array", "<f8", [1], "not base64!"], "expected base64"),
        (["tensor", "Tensor", "<f8", [1], "AAAAAAAAAAA="], "expected a kind of tensor"),
        (["set", [["list", []]]], "expected items that can be hashed"),
        (["dict", [1, 2], [3]], "expected a value with a tag"),
        (["error", 1, [], ""], "expected a value with a tag"),
        (["complex", 10**400, 0.0], "expected a value with a tag"),
        (["eval", "1"], "expected a value with a tag"),
        ({"tag": "list"}, "expected a value with a tag"),
        ([], "expected a value with a tag"),
    ],
)
def test_what_nobody_packs_is_refused(packed, words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        unpack(packed, proxy=lambda kind, number: None)


# What a stranger may write: a tag and something after it, or any JSON. Few leaves, since drawing takes longest.
TAGS = [*("list", "tuple", "set", "frozenset", "dict", "complex", "bytes", "bytearray", "dots", "scalar")]
TAGS += [*("array", "tensor", "error", "call", "next", "opaque")]


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=4)).map(
                lambda message: [message[0], *message[1]]
            ),
            st.dictionaries(st.text(), inner, max_size=4),
        ),
        max_leaves=12,
    )
)
def test_nothing_that_arrives_raises_anything_else(packed) -> None:
    with contextlib.suppress(ProtocolError):
        unpack(packed, proxy=lambda kind, number: None)


def test_a_message_has_a_greatest_length() -> None:
    with pytest.raises(ProtocolError, match="at most 64 MiB"):
        length((LARGEST + 1).to_bytes(8, "big"))
    with pytest.raises(ProtocolError, match="at most 64 MiB"):
        to_bytes("a" * LARGEST)
    for data in (b"", b"{", b"[" * 100_000, b"\xff"):
        with pytest.raises(ProtocolError, match="expected JSON"):
            from_bytes(data)


class Hidden(Exception):
    """Cannot be shown."""

    def __repr__(self) -> str:
        raise KeyError("no")

    __str__ = __repr__


def test_what_cannot_be_shown_says_why() -> None:
    assert safe_text(Hidden()) == "a Hidden that cannot be shown: KeyError"
    assert str(unpack_error(pack_error(Hidden()))) == "a Hidden that cannot be shown: KeyError"
