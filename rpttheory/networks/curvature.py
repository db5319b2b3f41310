"""The curvature of a loss at one point, as a matrix-free smoothness operator.

Products run in the precision of the parameters (float32 unless JAX was told otherwise) and are
float64 at the boundary, so every number here is NUMERICAL. Curvature at one point is not a global
smoothness constant: a few steps away it may be larger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from ..eigen.eigenpairs import DENSE_SIZE
from ..errors import InvalidInput
from ..numbers import Bracket
from ..numbers.exact_array import FloatArray
from ..problem.quantities import block_L, lmax
from ..problem.smoothness import OperatorSmoothness, Smoothness
from .blocks import Labels, PyTree, require_labels
from .costs import loss_value
from .training import Loss

Kind = Literal["ggn", "hessian"]
# Negative eigenvalues within this share of the largest pass for rounding in float32.
_ROUNDING = 1e-5
# The same for an iteration that stops early.
_ROUGH = 1e-3
# Products that err by more than this share of lambda_max say nothing about savings of a few per
# cent.
_LARGEST_NOISE = 1e-3

CAVEAT = (
    "NUMERICAL, at one point and one batch: no global smoothness constant, and nothing is proved"
    " from it"
)


def hvp_operator(loss: Loss, params: PyTree, batch: Any, labels: Labels) -> OperatorSmoothness:
    """The Hessian of loss(params, batch) at `params`, by Hessian-vector products; it may be
    indefinite.

    Coordinates come block by block in the order of `labels`, so that `labels.blocks` describes
    them.
    """
    loss_value(loss, params, (batch,))

    def product(point: PyTree, data: Any, direction: PyTree) -> PyTree:
        return jax.jvp(lambda x: jax.grad(loss)(x, data), (point,), (direction,))[1]

    return _operator(product, params, batch, labels)


def ggn_operator(
    model: Callable[[PyTree, Any], Any],
    criterion: Callable[[Any, Any], Any],
    params: PyTree,
    batch: Any,
    labels: Labels,
) -> OperatorSmoothness:
    """The generalized Gauss-Newton matrix J' H J at `params`: J of the model, H of the criterion.

    Parameters
    ----------
    model : callable
        model(params, batch), the outputs.
    criterion : callable
        criterion(outputs, batch), a scalar convex in the outputs; the matrix is then positive
        semidefinite.
    """
    loss_value(lambda x, data: criterion(model(x, data), data), params, (batch,))

    def product(point: PyTree, data: Any, direction: PyTree) -> PyTree:
        outputs, moved = jax.jvp(lambda x: model(x, data), (point,), (direction,))
        bent = jax.jvp(lambda z: jax.grad(criterion)(z, data), (outputs,), (moved,))[1]
        return jax.vjp(lambda x: model(x, data), point)[1](bent)[0]

    return _operator(product, params, batch, labels)


def _operator(
    product: Callable[[PyTree, Any, PyTree], PyTree], params: PyTree, batch: Any, labels: Labels
) -> OperatorSmoothness:
    """Flat float64 vectors, block by block, in front of a product with trees."""
    require_labels(labels)
    labels.require_shapes(params)
    leaves, blocks, structure = labels.match(params)
    places = np.argsort(blocks, kind="stable").tolist()
    ends = np.cumsum([leaves[place].size for place in places])
    # As JAX computes: a float64 array of NumPy is float32 to it, unless jax_enable_x64 is set.
    leaves = [jnp.asarray(leaf) for leaf in leaves]
    dtype = jnp.result_type(*leaves)

    @jax.jit
    def multiply(point: PyTree, data: Any, vector: jax.Array) -> jax.Array:
        parts = jnp.split(vector, ends[:-1])
        direction: list[Any] = [None] * len(leaves)
        for place, part in zip(places, parts, strict=True):
            direction[place] = part.reshape(leaves[place].shape).astype(leaves[place].dtype)
        result = jax.tree.leaves(
            product(point, data, jax.tree_util.tree_unflatten(structure, direction))
        )
        return jnp.concatenate([result[place].ravel().astype(dtype) for place in places])

    def apply(x: FloatArray) -> FloatArray:
        result = np.empty_like(x)
        for column in range(x.shape[1]):
            vector = x[:, column]
            # The products are linear: vectors of any length pass through float32 as vectors of
            # length one.
            length = float(np.abs(vector).max(initial=0.0)) or 1.0
            result[:, column] = length * np.asarray(
                multiply(params, batch, (vector / length).astype(dtype)), dtype=np.float64
            )
        return result

    return OperatorSmoothness(int(ends[-1]), apply)


@dataclass(frozen=True, eq=False)
class Curvature:
    """The largest eigenvalues of a curvature matrix and of its diagonal blocks, by Lanczos
    iteration.

    Attributes
    ----------
    kind : {"ggn", "hessian"}
    operator : Smoothness
        What was measured, plus `shift` times the identity.
    lambda_max : Bracket
    block_lambda_max : tuple of Bracket
        One per block, NUMERICAL like all of it.
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

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "kind": self.kind,
            "lambda_max": self.lambda_max.to_dict(),
            "block_lambda_max": [bracket.to_dict() for bracket in self.block_lambda_max],
            "shift": self.shift,
            "noise": self.noise,
            "products": self.operator.products,
            "rigor": "NUMERICAL",
            "caveat": CAVEAT,
        }


def measure_curvature(operator: OperatorSmoothness, labels: Labels, kind: Kind) -> Curvature:
    """Block and full lambda_max of an operator; an indefinite Hessian H is replaced by H + s I,
    which bounds it.
    """
    top = lmax(operator)
    shift = 0.0 if kind == "ggn" else _negative_part(operator, top.upper)
    shifted = operator if shift == 0 else _shifted(operator, shift)
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
    return Curvature(
        kind=kind,
        labels=labels,
        operator=shifted,
        lambda_max=top + shift if shift else top,
        block_lambda_max=block_L(shifted, labels.blocks),
        shift=shift,
        noise=noise,
    )


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
    """How far below zero the spectrum reaches, on the safe side; 0 where that is within rounding of
    `top`.
    """
    d = operator.dimension
    if d <= DENSE_SIZE:
        matrix = operator.matmat(np.eye(d))
        lowest = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0])
        return -lowest if lowest < -_ROUNDING * abs(top) else 0.0
    start = np.random.default_rng(0).standard_normal(d)
    if not operator.matmat(start).any():
        return 0.0
    mirror = LinearOperator((d, d), matvec=lambda x: top * x - operator.matmat(x), dtype=np.float64)
    try:
        # A residual of this share of the spectrum's width is all that a shift needs.
        width = float(
            eigsh(mirror, k=1, which="LA", tol=_ROUGH, v0=start, return_eigenvectors=False)[0]
        )
    except ArpackError as error:
        raise InvalidInput(
            "must have a measurable negative part", str(error), "a GGN", argument="curvature"
        ) from None
    lowest = top - width * (1 + _ROUGH)
    return -lowest if lowest < -2 * _ROUGH * abs(top) else 0.0


def _shifted(operator: OperatorSmoothness, shift: float) -> OperatorSmoothness:
    return OperatorSmoothness(
        operator.size, lambda x: operator.product(x) + shift * x, counter=operator.counter
    )
