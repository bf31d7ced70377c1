"""Every component equals its peer, in both number types, outputs and gradients; and a broken one is seen."""

import dataclasses

import numpy as np
import pytest
import torch

from linebyline.parity import COMPONENTS, PROMISED, SHOWN, Component, measure, table

BY_NAME = {component.name: component for component in COMPONENTS}
# Positions against a peer that rounds angles to float32; torch.polar judges the rotations in float64 as well.
ROUNDED = {"sinusoidal positions", "rotary, half layout", "rotary, interleaved"}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", PROMISED)
@pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: component.name)
def test_every_version_equals_the_peer(component: Component, dtype: str, seed: int) -> None:
    largest = measure(component, dtype, seed=seed).largest
    of_module = {"module", "gradients"} if component.module else set()
    assert largest.keys() == {"functional"} | of_module | ({"backward"} if component.backward else set())
    for name, difference in largest.items():
        # Room to spare, or the page could say something else on another machine.
        assert difference < component.bound(dtype) / 5, name


def test_the_bounds_keep_what_the_course_promises() -> None:
    for dtype, promised in PROMISED.items():
        assert SHOWN[dtype] <= promised
        looser = {component.name for component in COMPONENTS if component.bound(dtype) > promised}
        assert looser == (ROUNDED if dtype == "float64" else set())
    assert all(BY_NAME[name].because for name in ROUNDED)
    assert len(BY_NAME) == len(COMPONENTS)


def slightly(versions: object) -> object:
    """The same result, off by a ten thousandth."""
    if isinstance(versions, tuple | list):
        return type(versions)(slightly(each) for each in versions)
    return versions * np.float32(1.0001) if isinstance(versions, np.ndarray) else versions * 1.0001


def broken(component: Component) -> dict[str, Component]:
    """The component with one version off, by the name of the difference that must tell."""
    versions = {"functional": lambda **inputs: slightly(component.functional(**inputs))}
    if component.module is not None:

        def steeper(**inputs: torch.Tensor) -> object:
            outputs = component.module(**inputs)
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            return tuple(y + 1e-4 * (y - y.detach()) for y in several)  # the same numbers, other gradients

        versions["module"] = lambda **inputs: slightly(component.module(**inputs))
        versions["gradients"] = steeper
    if component.backward is not None:
        versions["backward"] = lambda direction, **inputs: slightly(tuple(component.backward(direction, **inputs)))
    field = {"gradients": "module"}
    return {name: dataclasses.replace(component, **{field.get(name, name): v}) for name, v in versions.items()}


@pytest.mark.parametrize("dtype", PROMISED)
@pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: component.name)
def test_a_version_that_is_off_is_seen_where_it_is_off(component: Component, dtype: str) -> None:
    for name, wrong in broken(component).items():
        largest, right = measure(wrong, dtype).largest, measure(component, dtype)
        assert largest[name] > 5e-5, name
        with pytest.raises(ValueError, match=rf"{name}, {dtype}: 1\.?\d?e-04 is not below"):
            table([dataclasses.replace(right, largest={**right.largest, name: largest[name]})])
        if name == "gradients":
            assert largest["module"] < component.bound(dtype)


@pytest.mark.parametrize("gradient", range(3))
def test_each_gradient_counts(gradient: int) -> None:
    component = BY_NAME["layer norm"]

    def wrong(direction: np.ndarray, **inputs: np.ndarray) -> list[np.ndarray]:
        return [slightly(g) if n == gradient else g for n, g in enumerate(component.backward(direction, **inputs))]

    assert measure(dataclasses.replace(component, backward=wrong), "float64").largest["backward"] > 5e-5


def test_another_eps_is_seen() -> None:
    component = BY_NAME["RMS norm"]
    other = dataclasses.replace(component, trusted=lambda x, gamma: torch.nn.functional.rms_norm(x, (6,), gamma, 1e-6))
    assert min(measure(other, "float64").largest.values()) > PROMISED["float64"]


def test_nan_is_the_worst_difference() -> None:
    both = BY_NAME["rotary, both layouts"]
    wrong = dataclasses.replace(both, functional=lambda x: (x * np.nan, both.functional(x)[1]))
    assert np.isnan(measure(wrong, "float64").largest["functional"])
    with pytest.raises(ValueError, match="functional, float64: nan is not below"):
        table([measure(wrong, "float64")])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x: x[0], r"ReLU: got \(5, 6\) float64 where PyTorch relu has \(2, 5, 6\) float64"),
        (lambda x: x.astype(np.float32), r"ReLU: got \(2, 5, 6\) float32 where"),
        (lambda x: (x, x), "zip"),
    ],
)
def test_another_shape_type_or_number_is_refused(wrong, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        measure(dataclasses.replace(BY_NAME["ReLU"], functional=wrong), "float64")


def test_the_table_has_a_row_for_each_component_and_no_digits() -> None:
    softmax, rotary = BY_NAME["softmax"], BY_NAME["rotary, half layout"]
    rows = table(measure(component, dtype) for component in (softmax, rotary) for dtype in PROMISED).splitlines()[2:]
    both = "1e-5 1e-12".replace(" ", "\N{NO-BREAK SPACE}").replace("-", "\N{NON-BREAKING HYPHEN}")
    assert rows[0] == f"| softmax: PyTorch `softmax` | {both} |  |  | {both} |"
    assert both.replace("12", "6*") in rows[1]


def test_measuring_leaves_the_global_generator_alone() -> None:
    before = torch.get_rng_state()
    for component in COMPONENTS:
        measure(component, "float32")
    assert torch.equal(torch.get_rng_state(), before)
