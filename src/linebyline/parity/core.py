"""What is compared, and how far apart it is: one component in NumPy, in PyTorch, and in a library others trust."""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

# What this course promises of every component.
PROMISED = {"float32": 1e-5, "float64": 1e-10}
# What the table shows: it holds with room to spare, so that it says the same on every machine.
SHOWN = {"float32": 1e-5, "float64": 1e-12}


@dataclass(frozen=True)
class Compared:
    """Something with a peer.

    Args:
        name: As it stands in the table.
        peer: What it is compared with: the library, a space, and the name there.
    """

    name: str
    peer: str

    def bound(self, dtype: str) -> float:
        """Give the bound that the table shows for a number type."""
        return SHOWN[dtype]


@dataclass(frozen=True)
class Component(Compared):
    """One component, written several times; every version takes the same arrays or tensors by the same names.

    Inputs are drawn from a standard normal distribution. Weights are drawn near the start of training: matrices
    ``w_...`` divided by the root of their rows, gains around 1, biases around 0, none of them trivial. They are
    (in, out), however the peer stores them: its gradients then come back in our layout.

    Args:
        name: As for ``Compared``.
        peer: As for ``Compared``.
        shapes: Name and shape of every input and weight, in the order of the gradients of ``backward``.
        functional: The NumPy version; gives an array, or a tuple of them.
        trusted: The peer's version, on tensors.
        module: Ours on tensors; where there is none, PyTorch's is what the course uses.
        backward: Gradients by all inputs in NumPy, written by hand; takes the gradient of the output first.
        looser: Bounds that replace the shown ones, with the reason in ``because``.
        because: Why the peer is less exact than the number type allows.
    """

    shapes: Mapping[str, tuple[int, ...]]
    functional: Callable[..., Any]
    trusted: Callable[..., Any]
    module: Callable[..., Any] | None = None
    backward: Callable[..., Sequence[np.ndarray]] | None = None
    looser: Mapping[str, float] = field(default_factory=dict)
    because: str = ""

    def bound(self, dtype: str) -> float:
        """Give the bound that the table shows for a number type."""
        return self.looser.get(dtype, super().bound(dtype))


@dataclass(frozen=True)
class Differences:
    """How far the versions of something are from the peer, in one number type; None where there is no version.

    Each is the largest difference of two arrays relative to the peer's largest entry, and the worst such pair:
    all outputs, or the gradients by every input and weight.
    """

    component: Compared
    dtype: str
    functional: float | None
    module: float | None
    gradients: float | None
    backward: float | None

    def all(self) -> dict[str, float]:
        """Give those that were measured, by name."""
        named = {name: getattr(self, name) for name in ("functional", "module", "gradients", "backward")}
        return {name: value for name, value in named.items() if value is not None}


def measure(component: Component, dtype: str, *, seed: int = 0) -> Differences:
    """Run every version of a component on the same random numbers.

    Args:
        component: What to compare.
        dtype: ``"float32"`` or ``"float64"``.
        seed: Of the random numbers.

    Raises:
        ValueError: two versions give results of different shapes, types or number.
    """
    rng = np.random.default_rng(seed)
    arrays = {name: _draw(name, shape, rng).astype(dtype) for name, shape in component.shapes.items()}
    inputs = {name: torch.from_numpy(array).requires_grad_() for name, array in arrays.items()}
    with quiet():
        expected = _several(component.trusted(**inputs))
    directions = [rng.normal(size=tuple(y.shape)).astype(dtype) for y in expected]
    slopes = _gradients(expected, directions, inputs)

    functional = worst(component, map(np.asarray, _several(component.functional(**arrays))), _numpy(expected))
    module = gradients = backward = None
    if component.module is not None:
        ours = _several(component.module(**inputs))
        module = worst(component, _numpy(ours), _numpy(expected))
        gradients = worst(component, _gradients(ours, directions, inputs), slopes)
    if component.backward is not None:
        (direction,) = directions
        backward = worst(component, component.backward(direction, **arrays), slopes)
    return Differences(component, dtype, functional, module, gradients, backward)


def table(measured: Iterable[Differences], what: str = "Component") -> str:
    """Lay differences out as a Markdown table, each as the bound it keeps and none by its digits.

    Args:
        measured: A row for each name, and a column for each kind of difference that any of them has.
        what: What stands in a row.

    Raises:
        ValueError: a difference is not below its bound.
    """
    rows: dict[str, list[Differences]] = {}
    for each in measured:
        rows.setdefault(each.component.name, []).append(each)
    named = {"functional": "NumPy", "module": "PyTorch", "gradients": "Gradients", "backward": "By hand"}
    there = {column for differences in rows.values() for each in differences for column in each.all()}
    columns = {column: name for column, name in named.items() if column in there}
    lines = [f"| {what}, and its peer | {' | '.join(columns.values())} |", "|:--|" + ":--|" * len(columns)]
    for name, differences in rows.items():
        library, _, peer = differences[0].component.peer.partition(" ")
        shown = ([_shown(each, column) for each in differences] for column in columns)
        cells = ["\N{NO-BREAK SPACE}".join(filter(None, bounds)) for bounds in shown]
        lines.append(f"| {name}: {library} `{peer}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def worst(compared: Compared, got: Iterable[np.ndarray], expected: Iterable[np.ndarray]) -> float:
    """Give the largest difference of two arrays, relative to the largest entry of the peer's, in the worst pair.

    Raises:
        ValueError: two arrays have different shapes or types, or there are more of one side.
    """
    largest = 0.0
    for ours, theirs in zip(got, expected, strict=True):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            found, wanted = f"{ours.shape} {ours.dtype}", f"{theirs.shape} {theirs.dtype}"
            raise ValueError(f"{compared.name}: got {found} where {compared.peer} has {wanted}")
        difference, size = float(np.abs(ours - theirs).max()), float(np.abs(theirs).max())
        # Of NumPy's and Python's maximum only NumPy's keeps a NaN, wherever it stands.
        largest = float(np.maximum(largest, difference / size if size else difference))
    return largest


@contextmanager
def quiet() -> Iterator[None]:
    """Hide what ``transformers`` says of progress bars in notebooks that have no widgets."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")
        yield


def _draw(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    drawn = rng.normal(size=shape)
    if name.startswith("w_"):
        return drawn / math.sqrt(shape[0])
    if name.startswith(("b_", "beta", "gamma")):
        return drawn / 4 + name.startswith("gamma")
    return drawn


def _shown(measured: Differences, column: str) -> str:
    value, bound = measured.all().get(column), measured.component.bound(measured.dtype)
    if value is None:
        return ""
    if not value < bound:
        raise ValueError(f"{measured.component.name}, {column}, {measured.dtype}: {value:.1e} is not below {bound:.0e}")
    # A hyphen and a space that do not break, so that a cell stays on one line.
    power = f"1e{math.log10(bound):.0f}".replace("-", "\N{NON-BREAKING HYPHEN}")
    return power + ("*" if bound > SHOWN[measured.dtype] else "")


def _several(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _numpy(tensors: Iterable[Tensor]) -> list[np.ndarray]:
    return [tensor.detach().numpy() for tensor in tensors]


def _gradients(
    outputs: Sequence[Tensor], directions: Sequence[np.ndarray], inputs: Mapping[str, Tensor]
) -> list[np.ndarray]:
    """Give the gradients of the outputs along random directions by every input that they depend on."""
    along = [torch.from_numpy(direction) for direction in directions]
    found = torch.autograd.grad(outputs, list(inputs.values()), along, allow_unused=True)
    zeros = (torch.zeros_like(tensor) for tensor in inputs.values())
    return _numpy(zero if gradient is None else gradient for gradient, zero in zip(found, zeros, strict=True))
