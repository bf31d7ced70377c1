"""Two ends of the protocol: functions and items stay where they are, and errors are raised on both sides."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from linebyline.grading.peer import ConnectionClosed, Peer, to_bytes
from linebyline.grading.protocol import ProtocolError


@contextmanager
def connected(**operations: Any) -> Iterator[Peer]:
    """One end of a connection whose other end serves these operations in a thread."""
    (near_in, far_out), (far_in, near_out) = os.pipe(), os.pipe()
    thread = threading.Thread(target=Peer(far_in, far_out, operations).serve)
    thread.start()
    try:
        yield Peer(near_in, near_out, {})
    finally:
        os.close(near_out)
        thread.join()
        for end in (near_in, far_in, far_out):
            os.close(end)


def test_a_function_is_called_where_it_is_and_may_ask_again() -> None:
    def twice(function: Any, x: np.ndarray) -> Any:
        return function(function(x), shift=1)

    with connected(twice=twice, adder=lambda n: lambda m: m() + n) as near:
        assert near.ask("twice", lambda x, shift=0: 2 * x + shift, np.arange(2)).tolist() == [1, 5]
        add = near.ask("adder", 2)
        assert add(lambda: add(lambda: 3)) == 7


def test_what_a_function_refuses_is_raised_there_and_here() -> None:
    def refuse() -> None:
        raise AssertionError("expected less")

    def notes(function: Any) -> str:
        with pytest.raises(AssertionError) as caught:
            function()
        return str(caught.value)

    with connected(notes=notes, calls=lambda function: function()) as near:
        assert near.ask("notes", refuse) == "expected less"
        with pytest.raises(AssertionError, match="expected less"):
            near.ask("calls", refuse)


def test_items_are_fetched_one_at_a_time() -> None:
    taken = []

    def items() -> Any:
        for i in range(10):
            taken.append(i)
            yield i

    def two(source: Any) -> Any:
        return next(source), next(source)

    with connected(two=two, all=list, endless=lambda: iter(int, 1)) as near:
        assert near.ask("two", items()) == (0, 1)
        assert taken == [0, 1]
        assert near.ask("all", iter([1, 2])) == [1, 2]
        assert [next(near.ask("endless")) for _ in range(3)] == [0, 0, 0]


def test_an_array_that_is_overwritten_here_is_overwritten_there() -> None:
    def overwritten() -> Any:
        shared = np.zeros(1)
        for i in range(3):
            shared[:] = i
            yield shared

    with connected(kept=lambda items: [item[0] for item in list(items)]) as near:
        assert near.ask("kept", overwritten()) == [2, 2, 2]
        assert near.ask("kept", iter([np.zeros(1), np.ones(1)])) == [0, 1]


def test_functions_of_an_earlier_question_are_dropped_and_unknown_operations_refused() -> None:
    kept = []
    with connected(keep=lambda function: kept.append(function), late=lambda: kept[0]()) as near:
        near.ask("keep", lambda: 1)
        assert near.ask("late") == 1
        near.forget()
        with pytest.raises(Exception, match="expected the number of a function, got 0"):
            near.ask("late")
        with pytest.raises(Exception, match="expected one of keep, late, got 'eval'"):
            near.ask("eval", "1")


@pytest.mark.parametrize(
    "message", [["value", 7, 1, False], ["raise", 1, ["error"]], ["value", 1, ["eval"], False], 1, ["ask", 1, 2], []]
)
def test_any_other_message_breaks_the_protocol(message) -> None:
    (reads, theirs), (_, writes) = os.pipe(), os.pipe()
    os.write(theirs, to_bytes(message))
    with pytest.raises(ProtocolError, match="expected"):
        Peer(reads, writes, {}).ask("load")


def test_an_end_in_the_middle_of_a_message_is_an_end() -> None:
    (reads, theirs), (_, writes) = os.pipe(), os.pipe()
    os.write(theirs, to_bytes(["value", 1, 1, False])[:-1])
    os.close(theirs)
    with pytest.raises(ConnectionClosed, match="the end of the process"):
        Peer(reads, writes, {}).ask("load")
