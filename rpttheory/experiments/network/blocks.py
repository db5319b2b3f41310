"""Steps that touch active blocks of the whole network only: SGD, RPT, and PT on the first
blocks.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

from ...networks.draws import Draw
from ...networks.models import WHOLE
from ...networks.pytree import Labels, PyTree
from ...networks.steps import make_rpt_steps
from .net import Network, batch_of, drawn, judgement
from .training import Kind, Run, Spent, Trainer


class BlockTrainer(Trainer):
    """SGD, RPT or PT on the first blocks of the whole network: one schedule of active blocks.

    Parameters
    ----------
    network : Network
    draw : Draw
        Which blocks are active; all of them with probability 1 is SGD.
    momentum, weight_decay : float
        Of the optimiser; inactive blocks keep their momentum and do not decay.
    """

    def __init__(
        self, network: Network, draw: Draw, *, momentum: float = 0.0, weight_decay: float = 0.0
    ) -> None:
        def optimiser(learning_rate: float) -> Any:
            return optax.chain(
                optax.add_decayed_weights(weight_decay) if weight_decay else optax.identity(),
                optax.sgd(learning_rate, momentum=momentum or None),
            )

        self.network = network
        self.labels = network.labels()
        # The learning rate is part of the state, so that a grid of them shares the compiled steps.
        inner = optax.inject_hyperparams(optimiser)(learning_rate=0.0)
        self.steps = make_rpt_steps(network.loss, self.labels, draw, inner)
        self.size = sum(self.labels.sizes)
        self.kinds = block_kinds(self.labels, draw)
        self._judged = jax.jit(lambda params, batch: judgement(network.model(params, batch), batch))

    def started(self, run: Run) -> PyTree:
        """Parameters, and the optimiser's state before the first step, with this run's key and
        learning rate.
        """
        self.network.steps_per_epoch(run.batch)
        params = self.network.initial(run.seed)
        state = self.steps.init(params)
        key = jax.random.key_data(jax.random.key(run.seed, impl="threefry2x32"))
        rate = jnp.asarray(run.learning_rate, jnp.float32)
        inner = tuple(
            own._replace(hyperparams={**own.hyperparams, "learning_rate": rate})
            for own in state.inner
        )
        return params, state._replace(rpt=state.rpt._replace(key=key), inner=inner)

    def advance(self, run: Run, number: int, tree: PyTree) -> tuple[PyTree, Spent]:
        batch = batch_of(
            self.network.data,
            drawn(self.network.data, run.seed, number, run.batch),
            run.seed,
            number,
        )
        params, state, _ = self.steps(*tree, batch)
        mask = np.asarray(state.rpt.active)
        floats = 2 * int(np.dot(mask, self.labels.sizes))
        return (params, state), Spent({block_kind(self.steps.draw, int(mask.sum())): 1}, floats, 1)

    def judged(self, number: int, tree: PyTree, batch: tuple[Any, Any]) -> tuple[Any, Any]:
        found: tuple[Any, Any] = self._judged(tree[0], batch)
        return found


def block_kinds(labels: Labels, draw: Draw) -> dict[str, Kind]:
    """The steps that a draw can ask for, by name."""
    found = {}
    for mask in draw.outcomes():
        own = [at for at, block in enumerate(labels.leaf_blocks) if mask[block]]
        factors = tuple(float(draw.factors[labels.leaf_blocks[at]]) for at in own)
        found[block_kind(draw, int(mask.sum()))] = Kind(
            WHOLE, tuple(labels.paths[at] for at in own), factors
        )
    return found


def block_kind(draw: Draw, depth: int) -> str:
    """The name of a step on so many blocks."""
    first = "input-first" if draw.order.rank_to_block[0] == 0 else "output-first"
    return "whole" if depth == draw.factors.size else f"{first} {depth}"
