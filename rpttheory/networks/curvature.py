"""The curvature of a loss at one point, as a matrix-free smoothness operator.

Products run in the precision of the parameters (float32 unless JAX was told otherwise) and are
float64 at the boundary, so every number here is NUMERICAL. Curvature at one point is not a global
smoothness constant: a few steps away it may be larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import InvalidInput
from ..numbers import Bracket
from ..numbers.exact_array import FloatArray
from ..problem.quantities import block_L, lmax
from ..problem.smoothness import OperatorSmoothness, Smoothness
from .blocks import Labels, PyTree
from .task import Task

Kind = Literal["auto", "ggn", "hessian"]
# Negative eigenvalues within this share of the largest pass for rounding in float32. Chosen by
# hand.
_ROUNDING = 1e-5
# Products that err by more than this share of lambda_max say nothing about savings of a few per
# cent.
_LARGEST_NOISE = 1e-3

# A shift above this share of the largest eigenvalue gets a warning.
_LARGE_SHIFT = 0.1

CAVEAT = (
    "NUMERICAL, at one point and one batch: no global smoothness constant, and nothing is proved"
    " from it. The model is that of plain gradient steps, whatever the optimizer"
)


@dataclass(frozen=True, eq=False)
class Curvature:
    """The largest eigenvalues of a curvature matrix and of its diagonal blocks, by Lanczos
    iteration.

    Attributes
    ----------
    kind : {"ggn", "hessian"}
    labels : Labels
    operator : Smoothness
        The measured matrix, plus `shift` times the identity. Coordinates come block by block in
        the order of `labels`, so that `labels.blocks` describes them.
    lambda_max : Bracket
    block_lambda_max : tuple of Bracket
        One per block, NUMERICAL as well.
    shift : float
        Added to the diagonal to outweigh negative curvature; 0 for a positive semidefinite matrix.
    noise : float
        By how much products fail to be linear, relative to lambda_max: rounding of the network
        itself.
    """

    kind: Kind
    labels: Labels
    operator: Smoothness
    lambda_max: Bracket
    block_lambda_max: tuple[Bracket, ...]
    shift: float
    noise: float

    @property
    def warning(self) -> str:
        """A sentence about a large shift; empty if there is none."""
        largest = self.lambda_max.midpoint - self.shift
        if self.shift <= _LARGE_SHIFT * largest:
            return ""
        return (
            f"The Hessian H has negative eigenvalues, so H + {self.shift:.3g} I takes its place;"
            f" the largest eigenvalue of H is {largest:.3g}. Such a shift makes blocks more alike"
            " and usually hides savings. A task with a model and a criterion has the Gauss-Newton"
            " matrix, which needs none."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "kind": self.kind,
            "lambda_max": self.lambda_max.to_dict(),
            "block_lambda_max": [bracket.to_dict() for bracket in self.block_lambda_max],
            "shift": self.shift,
            "warning": self.warning,
            "noise": self.noise,
            "products": self.operator.products,
            "rigor": "NUMERICAL",
            "caveat": CAVEAT,
        }


def measure_curvature(task: Task, kind: Kind = "auto") -> Curvature:
    """Measure the largest eigenvalues of the curvature of a loss at its parameters.

    Parameters
    ----------
    task : Task
    kind : {"auto", "ggn", "hessian"}
        "ggn" is the generalized Gauss-Newton matrix, which needs a task with a model and a
        criterion; "auto" prefers it to the Hessian. An indefinite Hessian H is replaced by H + s I,
        which bounds it.

    Returns
    -------
    Curvature
    """
    kind = check_kind(task, kind)
    operator = curvature_operator(task, kind)
    top = lmax(operator)
    shift = 0.0 if kind == "ggn" else _negative_part(operator, top.upper)
    if top.upper + shift <= 0:
        raise InvalidInput(
            "must not vanish", "lambda_max = 0 at params", "another point", argument="curvature"
        )
    noise = _noise(operator) / (abs(top.upper) + shift)
    if noise > _LARGEST_NOISE:
        raise InvalidInput(
            "must not be lost in rounding",
            f"products that err by {100 * noise:.2g} % of lambda_max = {top.upper:.3g}",
            "other parameters (is the loss saturated?), or float64 parameters with jax_enable_x64",
            argument="curvature",
        )
    shifted = _combined(operator, 1.0, shift) if shift else operator
    return Curvature(
        kind=kind,
        labels=task.labels,
        operator=shifted,
        lambda_max=top + shift if shift else top,
        block_lambda_max=block_L(shifted, task.labels.blocks),
        shift=shift,
        noise=noise,
    )


def check_kind(task: Task, kind: Kind) -> Kind:
    """Return "ggn" or "hessian"; raise InvalidInput if the task does not have it."""
    if kind not in ("auto", "ggn", "hessian"):
        raise InvalidInput(
            "is not one of the choices", repr(kind), "auto, ggn or hessian", argument="curvature"
        )
    if kind == "ggn" and task.model is None:
        raise InvalidInput(
            "by GGN needs the loss in two parts",
            "no model and criterion",
            "Task(model=..., criterion=...)",
            argument="curvature",
        )
    return "hessian" if kind == "hessian" or task.model is None else "ggn"


def curvature_operator(task: Task, kind: Kind) -> OperatorSmoothness:
    """Return J' H J at the parameters, with J the Jacobian of the model and H the Hessian of the
    criterion; for the Hessian of the loss the model is the identity.
    """
    task.value()
    model, criterion = _two_parts(task, kind)
    leaves, blocks, structure = task.labels.match(task.params)
    places = np.argsort(blocks, kind="stable").tolist()
    ends = np.cumsum([leaves[place].size for place in places])
    # As JAX computes: a float64 array of NumPy is float32 to it, unless jax_enable_x64 is set.
    leaves = [jnp.asarray(leaf) for leaf in leaves]
    dtype = jnp.result_type(*leaves)

    @jax.jit
    def multiply(point: PyTree, batch: Any, vector: jax.Array) -> jax.Array:
        """A product with a flat vector, block by block."""
        direction: list[Any] = [None] * len(leaves)
        for place, part in zip(places, jnp.split(vector, ends[:-1]), strict=True):
            direction[place] = part.reshape(leaves[place].shape).astype(leaves[place].dtype)
        tangent = jax.tree_util.tree_unflatten(structure, direction)
        outputs, moved = jax.jvp(lambda x: model(x, batch), (point,), (tangent,))
        bent = jax.jvp(lambda z: jax.grad(criterion)(z, batch), (outputs,), (moved,))[1]
        result = jax.tree.leaves(jax.vjp(lambda x: model(x, batch), point)[1](bent)[0])
        return jnp.concatenate([result[place].ravel().astype(dtype) for place in places])

    def apply(x: FloatArray) -> FloatArray:
        result = np.empty_like(x)
        for column, vector in enumerate(x.T):
            # The products are linear: vectors of any length pass through float32 as vectors of
            # length one.
            length = float(np.abs(vector).max(initial=0.0)) or 1.0
            product = multiply(task.params, task.batch, (vector / length).astype(dtype))
            result[:, column] = length * np.asarray(product, dtype=np.float64)
        return result

    return OperatorSmoothness(int(ends[-1]), apply)


def _two_parts(task: Task, kind: Kind) -> tuple[Any, Any]:
    """Return the model and the criterion."""
    if kind == "ggn":
        return task.model, task.criterion

    def scalar_loss(params: PyTree, batch: Any) -> Any:
        result = task.loss(params, batch, *task.args)
        return result[0] if task.has_aux else result

    return lambda params, batch: params, scalar_loss


def _noise(operator: OperatorSmoothness) -> float:
    """Norm of L(y + z) - Ly - Lz for unit vectors y and z in the range of L, where rounding hurts
    most.
    """
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(2):
        y, z = (operator.matmat(rng.standard_normal(operator.dimension)) for _ in range(2))
        y, z = (x / max(float(np.linalg.norm(x)), 1e-300) for x in (y, z))
        parts = operator.matmat(np.column_stack((y + z, y, z)))
        worst = max(worst, float(np.linalg.norm(parts @ (1.0, -1.0, -1.0))))
    return worst


def _negative_part(operator: OperatorSmoothness, top: float) -> float:
    """Return an upper bound of -lambda_min, or 0 if that is within rounding of `top`."""
    width = _combined(operator, -1.0, top).leading_eigenpair(accuracy=_ROUNDING).value
    lowest = top - width * (1 + _ROUNDING)
    return -lowest if lowest < -2 * _ROUNDING * abs(top) else 0.0


def _combined(operator: OperatorSmoothness, factor: float, shift: float) -> OperatorSmoothness:
    """Return factor * L + shift * I."""
    return OperatorSmoothness(
        operator.size,
        lambda x: factor * operator.product(x) + shift * x,
        counter=operator.counter,
    )
