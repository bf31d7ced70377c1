"""The two corpora."""

import pytest

from linebyline.corpora import pydoc_topics, standard_library_source


@pytest.fixture(scope="session")
def topics() -> str:
    return pydoc_topics()


@pytest.fixture(scope="session")
def source() -> str:
    return standard_library_source(10_000_000)
