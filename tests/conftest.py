"""Settings and fixtures shared by all tests."""

import gc
from collections.abc import Generator, Iterator
from functools import wraps
from itertools import count

import jaxtyping
import pytest
from hypothesis import is_hypothesis_test, settings

# Every property is tried on 1,000 cases, the same ones in every run; where these take seconds, on a fifth (few.py).
settings.register_profile("clearformer", max_examples=1000, derandomize=True, deadline=None, database=None)
settings.register_profile("fast", settings.get_profile("clearformer"), max_examples=50)
settings.load_profile("clearformer")
# Of these, the first are run with every signature checked, and all with values compared.
CASES_WITH_SHAPES = 50


def pytest_collection_finish() -> None:
    """Tests and what they import stay to the end, so the collector need not walk through them again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Check shapes in the first cases of a property: in all of them the checker takes longer than what it checks."""
    test = getattr(item, "obj", None)
    if not is_hypothesis_test(test):
        return (yield)
    inner, before, cases = test.hypothesis.inner_test, jaxtyping.config.jaxtyping_disable, count()
    broken = False

    @wraps(inner)
    def case(*arguments: object, **named: object) -> None:
        nonlocal broken
        # A broken shape must break when the case is tried again, smaller.
        late = next(cases) >= CASES_WITH_SHAPES and not broken
        jaxtyping.config.update("jaxtyping_disable", before or late)
        try:
            inner(*arguments, **named)
        except jaxtyping.TypeCheckError:
            broken = True
            raise

    test.hypothesis.inner_test = case
    try:
        return (yield)
    finally:
        test.hypothesis.inner_test = inner
        jaxtyping.config.update("jaxtyping_disable", before)


@pytest.fixture
def unchecked() -> Iterator[None]:
    """Switch the shape checker off, so that a refusal seen in the test is the function's own.

    Under pytest jaxtyping checks every signature first, and its TypeCheckError is a TypeError: without this
    a test of a refusal would pass even if the function refused nothing. Readers run without the checker.
    """
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)
