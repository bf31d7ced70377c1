"""The projection's specification: places and neighbors against NumPy, and what it refuses."""

import numpy as np

from linebyline import figures

STAGES, TOKENS = ["before", "after"], list("abcdefg")


def draw() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(2, 7, 5))


def spec(vectors: np.ndarray, **options: object) -> dict:
    return dict(figures.projection(vectors, TOKENS, STAGES, description="A map.", **options).spec)


def points(vectors: np.ndarray) -> np.ndarray:
    rows = spec(vectors)["vconcat"][0]["data"]["values"]
    return np.array([[row["x"], row["y"]] for row in rows]).reshape(2, 7, 2)


def links(vectors: np.ndarray, **options: object) -> list[dict]:
    return spec(vectors, **options)["vconcat"][0]["layer"][0]["data"]["values"]


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_the_plane_is_that_of_the_last_stage() -> None:
    last = unit(draw())[1]
    variances = np.linalg.eigvalsh(np.cov(last.T))[::-1]
    np.testing.assert_allclose(points(draw())[1].var(axis=0, ddof=1), variances[:2], atol=1e-3)
    np.testing.assert_allclose(points(draw())[1].mean(axis=0), 0, atol=1e-4)


def test_distances_in_two_dimensions_are_kept_at_every_stage() -> None:
    flat = np.concatenate([draw()[..., :2], np.zeros((2, 7, 3))], axis=-1)  # a plane to begin with
    for stage in (0, 1):
        expected = np.linalg.norm(unit(flat)[stage, :, None] - unit(flat)[stage, None], axis=-1)
        got = np.linalg.norm(points(flat)[stage, :, None] - points(flat)[stage, None], axis=-1)
        np.testing.assert_allclose(got, expected, atol=1e-3)


def test_neighbors_are_those_of_largest_cosine() -> None:
    cosine = unit(draw()) @ unit(draw()).swapaxes(-1, -2)
    rows = links(draw(), neighbors=3)
    assert len(rows) == 2 * 7 * 3
    for stage in (0, 1):
        for token in range(7):
            others = [row["other"] for row in rows if (row["stage"], row["token"]) == (stage, token)]
            order = [other for other in np.argsort(-cosine[stage, token]) if other != token]
            assert others == order[:3]
    np.testing.assert_allclose(
        [row["cosine"] for row in rows], [cosine[row["stage"], row["token"], row["other"]] for row in rows], atol=1e-4
    )


def test_lengths_of_vectors_do_not_matter() -> None:
    longer = draw() * np.arange(1, 8)[:, None]
    np.testing.assert_allclose(points(longer), points(draw()), atol=2e-4)
