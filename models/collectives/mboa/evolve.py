"""The search itself, compiled: a population, and new chromosomes one after the other."""

from __future__ import annotations

import numpy as np

from syncfabric.models.collectives.mboa.fitness import weigh
from syncfabric.models.collectives.mboa.mutation import mutate, replace_path
from syncfabric.models.collectives.mboa.offspring import scatter, tree, unscatter, untree
from syncfabric.models.collectives.mboa.repair import repair
from syncfabric.models.collectives.mboa.selection import allowed, cool, nearest, supplant
from syncfabric.models.collectives.mboa.state import (
    DRAWN,
    LEAST,
    MODEL,
    TEMPLATE,
    TENURE,
    TRIED,
    State,
)
from syncfabric.models.collectives.mboa.tables import copy
from syncfabric.models.collectives.mboa.trees import learn
from syncfabric.models.compiled import inlined, uncounted

__all__ = ["RATE", "evolve", "wanted"]

RATE = 0.004
"""How fast the variance is adapted."""


@inlined
def wanted(genes: int) -> float:
    """Return the part of new chromosomes that should better their rivals."""
    return float(0.05 + 0.3 / np.sqrt(genes))


@uncounted
def evolve(state: State, most: int) -> None:
    """Try so many new chromosomes, or fewer if one without conflicts is found.

    The first of them are the first population.
    """
    settings, random, figures, cost = state.settings, state.random, state.figures, state.cost
    grows, size, length = state.instance.grows, len(cost), state.genes.shape[1]
    share = wanted(length)
    more_drawn, fewer_drawn = np.exp(RATE), np.exp(RATE * share / (share - 1.0))
    for _ in range(most):
        if figures[LEAST] == 0:
            return
        number = int(figures[TRIED])
        figures[TRIED] += 1
        if number < size:
            _first(state, number)
            continue
        if number >= figures[MODEL]:
            figures[MODEL] = number + settings.generation * length
            learn(state.model, state.genes, cost, settings.rivals, random)
        cool(state)
        if number >= figures[TENURE]:
            figures[TENURE] = number + settings.tenure * length
            figures[TEMPLATE] = (figures[TEMPLATE] + 1) % size
        chosen = int(figures[TEMPLATE])
        if state.idle[chosen] >= settings.stagnation * length:
            state.idle[chosen] = 0
            used = state.used[chosen]
            cost[chosen] += replace_path(state.instance, state.genes[chosen], used, random)
            _keep(state, chosen, cost[chosen])
            continue
        bound = allowed(state)
        if grows:
            count, more = tree(state, chosen)
        else:
            count, more = scatter(state, chosen, bound)
        better = False
        if count == 0 and more > bound:
            state.idle[chosen] += 1
        else:
            better = _settle(state, chosen, count, cost[chosen] + more, bound)
        if settings.leaves > 0:
            _adapt(state, more_drawn if better else fewer_drawn)


@inlined
def _first(state: State, number: int) -> None:
    """Draw a chromosome of the first population."""
    instance, genes = state.instance, state.genes[number]
    for gene in range(len(genes)):
        mutate(instance.bounds, genes, gene, state.random)
    if instance.grows:
        repair(instance.steps, genes, state.informed, state.random)
    state.cost[number] = weigh(instance, genes, state.used[number])
    _keep(state, number, state.cost[number])


@inlined
def _keep(state: State, chosen: int, cost: int) -> None:
    """Keep a chromosome if it is the best so far."""
    if cost < state.figures[LEAST]:
        state.figures[LEAST] = cost
        copy(state.genes[chosen], state.best)


@inlined
def _settle(state: State, chosen: int, count: int, found: int, bound: int) -> bool:
    """Let a new chromosome take the place of the one most like it, or none.

    That is a restricted tournament (Harik, 1995). Return whether it is the better one.
    """
    _keep(state, chosen, found)
    window, victim, worst = state.settings.window, chosen, 0
    for cost in state.cost:
        worst = max(worst, cost)
    # Most are worse than all: then it does not matter who is most like them.
    if found - worst <= bound:
        victim = nearest(state.genes, chosen, window, count, state.random)
    better = found < state.cost[victim]
    wins = found - state.cost[victim] <= bound
    idle = state.idle[chosen] + 1
    if wins and victim != chosen:
        supplant(state, chosen, victim)
    if wins:
        state.cost[victim], state.idle[victim] = found, 0 if better else idle
    if not wins or victim != chosen:
        state.idle[chosen] = idle
        if state.instance.grows:
            untree(state, chosen)
        else:
            unscatter(state, chosen, count)
    return bool(better)


@inlined
def _adapt(state: State, factor: float) -> None:
    """Draw more genes from the model after a success, and fewer after a failure.

    Their number stays if there are as many successes as wanted (Ocenasek, Kern, Hansen and
    Koumoutsakos, 2004).
    """
    drawn = state.figures[DRAWN] * factor
    state.figures[DRAWN] = min(max(drawn, state.settings.least), len(state.best))
