"""What tests of exercises share."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

COMPUTED: dict[tuple[str, int | None], Any] = {}


@pytest.fixture
def computed_once(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, int | None], Any]:
    """Compute what a prediction of the book asks for once a seed, by id and seed: each guess would run it again.

    A test that asks whether the same comes out again empties what it is given.
    """
    from linebyline.exercises import Pick, Predict, registry  # not before their shapes are checked

    book = registry()

    def once(compute: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(compute)
        def known(exercise: Predict | Pick, seed: int | None = None) -> Any:
            if book.get(exercise.id) is not exercise:
                return compute(exercise, seed)
            if (exercise.id, seed) not in COMPUTED:
                COMPUTED[exercise.id, seed] = compute(exercise, seed)
            return COMPUTED[exercise.id, seed]

        return known

    monkeypatch.setattr(Predict, "values", once(Predict.values))
    monkeypatch.setattr(Pick, "value", once(Pick.value))
    return COMPUTED
