"""Settings and fixtures shared by all tests."""

import gc
from collections.abc import Iterator

import jaxtyping
import pytest
from hypothesis import settings

# Every property is tried on 1,000 cases, the same ones in every run; where these take seconds, on a fifth (few.py).
settings.register_profile("clearformer", max_examples=1000, derandomize=True, deadline=None, database=None)
settings.register_profile("fast", settings.get_profile("clearformer"), max_examples=50)
settings.load_profile("clearformer")


def pytest_collection_finish() -> None:
    """Tests and what they import stay to the end, so the collector need not walk through them again and again."""
    gc.collect()
    gc.freeze()


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
