"""How far versions of a component are apart: ours in NumPy and in PyTorch, and one in a library that people trust."""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call

# What this course promises of every component.
PROMISED = {"float32": 1e-5, "float64": 1e-10}
# What the table shows. It holds with room to spare, so that the table is the same on every machine.
SHOWN = {"float32": 1e-5, "float64": 1e-12}
TITLES = {"functional": "NumPy", "module": "PyTorch", "gradients": "Gradients", "backward": "By hand"}


@dataclass(frozen=True)
class Compared:
    """Something with a peer: a library, a space, and the name there."""

    name: str
    peer: str

    def bound(self, dtype: str) -> float:
        """Return the bound that the table shows for a number type."""
        return SHOWN[dtype]


@dataclass(frozen=True)
class Component(Compared):
    """One component in several versions, which take the same arrays or tensors by the same names.

    Inputs are drawn from a standard normal distribution. Weights are drawn near the start of training: matrices
    ``w_...`` divided by the root of their rows, gains around 1, biases around 0, none of them trivial. They are
    (in, out), however the peer stores them: its gradients then come back in our layout.

    ``functional`` is the NumPy version, ``trusted`` the peer's on tensors, and ``module`` ours, unless the course uses
    PyTorch's; each returns an array or a tuple of them. ``backward`` takes the gradient of the output, and returns
    those with respect to all of ``shapes``. ``because`` says why the peer is less exact, and a bound ``looser``.
    """

    shapes: Mapping[str, tuple[int, ...]]
    functional: Callable[..., Any]
    trusted: Callable[..., Any]
    module: Callable[..., Any] | None = None
    backward: Callable[..., Sequence[np.ndarray]] | None = None
    looser: Mapping[str, float] = field(default_factory=dict)
    because: str = ""

    def bound(self, dtype: str) -> float:
        """Return the bound that the table shows for a number type."""
        return self.looser.get(dtype, SHOWN[dtype])


@dataclass(frozen=True)
class Differences:
    """How far our versions are from the peer in one number type, by ``worst``.

    ``largest`` compares outputs for ``"functional"`` and ``"module"``, and gradients with respect to every input and
    weight for ``"gradients"`` (of the module) and ``"backward"``. A version that does not exist is not in it.
    """

    component: Compared
    dtype: str
    largest: Mapping[str, float]


def measure(component: Component, dtype: str, *, seed: int = 0) -> Differences:
    """Run every version of a component on the same random numbers, in ``"float32"`` or ``"float64"``.

    A ValueError says that two versions return results that differ in shape, type or number.
    """
    rng = np.random.default_rng(seed)
    arrays = {name: _draw(name, shape, rng).astype(dtype) for name, shape in component.shapes.items()}
    inputs = {name: torch.from_numpy(array).requires_grad_() for name, array in arrays.items()}
    with without_widget_warning():
        expected = _tuple(component.trusted(**inputs))
    directions = [torch.from_numpy(rng.normal(size=tuple(y.shape)).astype(dtype)) for y in expected]
    slopes = as_arrays(gradients(expected, directions, inputs).values())

    outputs, right = map(np.asarray, _tuple(component.functional(**arrays))), as_arrays(expected)
    largest = {"functional": worst(component, outputs, right)}
    if component.module is not None:
        tensors = _tuple(component.module(**inputs))
        largest["module"] = worst(component, as_arrays(tensors), right)
        found = gradients(tensors, directions, inputs).values()
        largest["gradients"] = worst(component, as_arrays(found), slopes)
    if component.backward is not None:
        (direction,) = as_arrays(directions)
        largest["backward"] = worst(component, component.backward(direction, **arrays), slopes)
    return Differences(component, dtype, largest)


def table(measured: Iterable[Differences], what: str = "Component") -> str:
    """Return differences as a Markdown table, which shows the bound that each keeps rather than its digits.

    It has a row for each name, and a column for each kind of difference that any of them has. A ValueError says that
    a difference is not below its bound.
    """
    rows: dict[str, list[Differences]] = {}
    for differences in measured:
        rows.setdefault(differences.component.name, []).append(differences)
    columns = [column for column in TITLES if any(column in types[0].largest for types in rows.values())]
    lines = [f"| {what}, and its peer | {' | '.join(TITLES[column] for column in columns)} |"]
    lines.append("|:--|" + ":--|" * len(columns))
    for name, types in rows.items():
        library, _, peer = types[0].component.peer.partition(" ")
        bounds = ([_bound(differences, column) for differences in types] for column in columns)
        cells = ["\N{NO-BREAK SPACE}".join(filter(None, each)) for each in bounds]
        lines.append(f"| {name}: {library} `{peer}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def worst(compared: Compared, got: Iterable[np.ndarray], expected: Iterable[np.ndarray]) -> float:
    """Return the largest difference of two arrays, relative to the largest entry of the peer's, in the worst pair."""
    largest = 0.0
    for ours, theirs in zip(got, expected, strict=True):
        kind, expected_kind = (f"{array.shape} {array.dtype}" for array in (ours, theirs))
        if kind != expected_kind:
            raise ValueError(f"{compared.name}: got {kind} where {compared.peer} has {expected_kind}")
        difference, size = float(np.abs(ours - theirs).max()), float(np.abs(theirs).max())
        # NumPy's maximum keeps a NaN, Python's does not.
        largest = float(np.maximum(largest, difference / size if size else difference))
    return largest


@contextmanager
def without_widget_warning() -> Iterator[None]:
    """Silence the warning of ``transformers`` about progress bars in notebooks without widgets."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")
        yield


def call(make: Callable[[], torch.nn.Module], weights: Mapping[str, Tensor], *inputs: Any, **options: Any) -> Any:
    """Call a module with these weights. It is made without any of its own."""
    with torch.device("meta"):
        module = make()
    return functional_call(module, dict(weights), inputs, options)


def gradients(outputs: Sequence[Tensor], directions: Sequence[Tensor], inputs: Mapping[str, Tensor]) -> dict[str, Any]:
    """Compute the gradients of outputs along directions with respect to every input, 0 where there is none."""
    options: Any = {"allow_unused": True, "materialize_grads": True}
    return dict(zip(inputs, torch.autograd.grad(outputs, list(inputs.values()), directions, **options), strict=True))


def _draw(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    numbers = rng.normal(size=shape)
    if name.startswith("w_"):
        return numbers / math.sqrt(shape[0])
    return numbers / 4 + name.startswith("gamma") if name.startswith(("b_", "beta", "gamma")) else numbers


def _bound(measured: Differences, column: str) -> str:
    """A cell of the table for one number type, with a hyphen that does not break and a star for a looser bound."""
    value, bound = measured.largest.get(column), measured.component.bound(measured.dtype)
    if value is None:
        return ""
    if not value < bound:
        raise ValueError(f"{measured.component.name}, {column}, {measured.dtype}: {value:.1e} is not below {bound:.0e}")
    power = f"1e{math.log10(bound):.0f}".replace("-", "\N{NON-BREAKING HYPHEN}")
    return power + ("*" if bound > SHOWN[measured.dtype] else "")


def _tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def as_arrays(tensors: Iterable[Tensor]) -> list[np.ndarray]:
    """Convert tensors, which may have gradients, to arrays."""
    return [tensor.detach().numpy() for tensor in tensors]
