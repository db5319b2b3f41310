"""A perceptron on scikit-learn's digits, for `rpttheory advise examples/mlp_digits.py:make`.

A factory is a function without arguments that returns (loss, params, batch, labels), or a Task as
here: with the model and the criterion apart, curvature is the generalized Gauss-Newton matrix.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import optax
from sklearn.datasets import load_digits

from rpttheory.networks import Task, label_blocks

WIDTHS = (64, 128, 128, 128, 10)
TRAINING_STEPS = 200


def model(params: Any, batch: Any) -> Any:
    """Logits of a perceptron with ReLU between its layers."""
    x, _ = batch
    *hidden, last = (params[f"layer{i}"] for i in range(len(WIDTHS) - 1))
    for layer in hidden:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ last["w"] + last["b"]


def criterion(logits: Any, batch: Any) -> Any:
    """Mean cross-entropy."""
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()


def loss(params: Any, batch: Any) -> Any:
    return criterion(model(params, batch), batch)


def initial_params(key: Any) -> Any:
    """He initialization."""
    params = {}
    for i, (inputs, outputs) in enumerate(pairwise(WIDTHS)):
        key, own = jax.random.split(key)
        weights = jax.random.normal(own, (inputs, outputs)) * jnp.sqrt(2.0 / inputs)
        params[f"layer{i}"] = {"w": weights, "b": jnp.zeros(outputs)}
    return params


def make() -> Task:
    """The network after a few hundred steps of SGD, where curvature is more telling than at the
    start.
    """
    images, digits = load_digits(return_X_y=True)
    batch = (jnp.asarray(images[:512] / 16.0, jnp.float32), jnp.asarray(digits[:512], jnp.int32))
    params = initial_params(jax.random.key(0))
    step = jax.jit(lambda p: jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(loss)(p, batch)))
    for _ in range(TRAINING_STEPS):
        params = step(params)
    labels = label_blocks(params, lambda path: path.split("/")[0])
    return Task(loss, params, batch, labels, model, criterion, name="perceptron on digits")
