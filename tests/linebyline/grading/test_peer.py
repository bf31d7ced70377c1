"""Two ends of the protocol: functions and items stay where they are, and errors are raised on both sides."""

import os
import threading
from typing import Any

import numpy as np
import pytest

from linebyline.grading.peer import ConnectionClosed, Peer, to_bytes
from linebyline.grading.protocol import ProtocolError


class Pair:
    """Two ends in one process: the far one serves in a thread."""

    def __init__(self, **operations: Any) -> None:
        (near_in, far_out), (far_in, near_out) = os.pipe(), os.pipe()
        self.ends = near_in, near_out, far_in, far_out
        self.near, far = Peer(near_in, near_out, {}), Peer(far_in, far_out, operations)
        self.thread = threading.Thread(target=far.serve)
        self.thread.start()

    def __enter__(self) -> Peer:
        return self.near

    def __exit__(self, *_: object) -> None:
        os.close(self.ends[1])
        self.thread.join()
        for end in (0, 2, 3):
            os.close(self.ends[end])


def test_a_function_is_called_where_it_is() -> None:
    def twice(function: Any, x: np.ndarray) -> Any:
        return function(function(x), shift=1)

    with Pair(twice=twice) as near:
        assert near.ask("twice", lambda x, shift=0: 2 * x + shift, np.arange(2)).tolist() == [1, 5]


def test_a_function_that_comes_back_can_be_called_and_may_ask_again() -> None:
    with Pair(adder=lambda n: lambda m: m() + n) as near:
        add = near.ask("adder", 2)
        assert add(lambda: add(lambda: 3)) == 7


def test_what_a_function_refuses_is_raised_there_and_here() -> None:
    def refuse() -> None:
        raise AssertionError("expected less")

    def notes(function: Any) -> str:
        try:
            function()
        except AssertionError as refusal:
            return str(refusal)
        return ""

    with Pair(notes=notes, calls=lambda function: function()) as near:
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

    with Pair(two=two, all=list, endless=lambda: iter(int, 1)) as near:
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

    with Pair(kept=lambda items: [item[0] for item in list(items)]) as near:
        assert near.ask("kept", overwritten()) == [2, 2, 2]
        assert near.ask("kept", iter([np.zeros(1), np.ones(1)])) == [0, 1]


def test_functions_of_an_earlier_question_are_let_go() -> None:
    kept = []
    with Pair(keep=lambda function: kept.append(function), late=lambda: kept[0]()) as near:
        near.ask("keep", lambda: 1)
        assert near.ask("late") == 1
        near.forget()
        with pytest.raises(Exception, match="expected the number of a function, got 0"):
            near.ask("late")


@pytest.mark.parametrize(
    "message", [["value", 7, 1, False], ["raise", 1, ["error"]], ["value", 1, ["eval"], False], 1, ["ask", 1, 2], []]
)
def test_another_message_is_broken(message) -> None:
    (reads, theirs), (_, writes) = os.pipe(), os.pipe()
    os.write(theirs, to_bytes(message))
    with pytest.raises(ProtocolError, match="expected"):
        Peer(reads, writes, {}).ask("load")


def test_a_number_nobody_gave_is_refused() -> None:
    with (
        Pair(call=lambda function: function()) as near,
        pytest.raises(Exception, match="expected one of call, got 'eval'"),
    ):
        near.ask("eval", "1")


def test_an_end_in_the_middle_of_a_message_is_an_end() -> None:
    (reads, theirs), (_, writes) = os.pipe(), os.pipe()
    os.write(theirs, to_bytes(["value", 1, 1, False])[:-1])
    os.close(theirs)
    with pytest.raises(ConnectionClosed, match="the end of the process"):
        Peer(reads, writes, {}).ask("load")
