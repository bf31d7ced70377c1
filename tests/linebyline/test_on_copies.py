"""An answer under watch: it gets copies as deep as containers go, and nothing it does to them goes unseen."""

import contextlib
from collections import Counter, namedtuple

import numpy as np
import pytest

from linebyline.exercises.core.on_copies import OnCopies

Pair = namedtuple("Pair", "left right")


def put(where, key, value):
    where[key] = value


CHANGES = {
    "an array": (np.zeros(3), lambda x: put(x, 0, 1)),
    "an array with nan": (np.array([np.nan, 1.0]), lambda x: put(x, 1, 2)),
    "an array's shape": (np.zeros((2, 3)), lambda x: x.resize((3, 2), refcheck=False)),
    "an array's last bit": (np.ones(2), lambda x: put(x, 0, np.nextafter(1, 2))),
    "an array of words": (np.array(["ab", "cd"]), lambda x: put(x, 0, "ef")),
    "a list": ([1, 2], lambda x: x.append(3)),
    "a list in a list": ([[1], [2]], lambda x: x[1].append(3)),
    "an array in a list": ([np.zeros(2)], lambda x: put(x[0], 0, 1)),
    "an array in a tuple": ((1, np.zeros(2)), lambda x: put(x[1], 0, 1)),
    "an array in a named tuple": (Pair(1, np.zeros(2)), lambda x: put(x.right, 0, 1)),
    "an array in a dictionary in a tuple": (({"w": np.zeros(2)},), lambda x: put(x[0]["w"], 0, 1)),
    "a dictionary": ({"a": 1}, lambda x: x.pop("a")),
    "a counter": (Counter("aab"), lambda x: x.update("a")),
    "a set": ({1, 2}, lambda x: x.discard(1)),
    "a set in a list": ([{1}], lambda x: x[0].add(2)),
    "bytes that may change": (bytearray(b"ab"), lambda x: put(x, 0, 0)),
    "a number for one of another type": ([1], lambda x: put(x, 0, 1.0)),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_is_noted_and_does_not_reach_the_law(case):
    argument, change = CHANGES[case]
    before = repr(argument)
    on_copies = OnCopies(lambda first, second, third: change(second))
    on_copies(1, argument, np.zeros(2))
    assert on_copies.changed == {2}
    assert repr(argument) == before


@pytest.mark.parametrize("case", CHANGES)
def test_what_is_left_alone_is_not_noted(case):
    argument, _ = CHANGES[case]
    seen = []
    on_copies = OnCopies(lambda *arguments: seen.extend(arguments))
    on_copies(argument, float("nan"), [float("nan")], frozenset([1]), None, "word", iter([1]), np.sum)
    assert on_copies.changed == set()
    assert type(seen[0]) is type(argument)
    assert repr(seen[0]) == repr(argument)


def test_changes_of_several_calls_add_up():
    on_copies = OnCopies(lambda n, *lists: lists[n].clear())
    on_copies(0, [1], [2])
    on_copies(1, [1], [2])
    assert on_copies.changed == {2, 3}


def test_iterators_and_models_are_handed_over_as_they_are():
    class Model:
        calls = 0

        def __call__(self):
            self.calls += 1

    model, blocks = Model(), iter([np.zeros(2)])
    OnCopies(lambda model, blocks: (model(), next(blocks)))(model, blocks)
    assert model.calls == 1
    assert list(blocks) == []


def test_a_caught_refusal_is_noted():
    def refuse(x):
        raise AssertionError(f"expected less, got {x}")

    def catches(function, functions):
        for each in (function, functions["other"]):
            with contextlib.suppress(BaseException):
                each(3)
        return 5

    on_copies = OnCopies(catches)
    assert on_copies(refuse, {"other": refuse}) == 5
    assert list(map(str, on_copies.refusals)) == ["expected less, got 3"] * 2
    assert on_copies.changed == set()


def test_other_errors_of_a_function_are_the_answers_own_affair():
    def fails():
        raise ValueError

    def catches(function):
        with pytest.raises(ValueError):
            function()

    on_copies = OnCopies(catches)
    on_copies(fails)
    assert on_copies.refusals == []
