"""The search itself, compiled: a population, and new chromosomes one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.chance import Random, below, chance, seeded
from syncfabric.models.collectives.mboa.encoding import PATH, SOURCE, STEP, Instance
from syncfabric.models.collectives.mboa.fitness import repair, take, weigh
from syncfabric.models.collectives.mboa.parameters import Parameters
from syncfabric.models.collectives.mboa.trees import Model, blank_model, draw, learn

__all__ = ["DRAWN", "LEAST", "TRIED", "State", "begin", "evolve"]

LEAST, DRAWN, TRIED, STALLS = 0, 1, 2, 3
"""Places in ``State.figures``."""


class Settings(NamedTuple):
    """The parameters that the compiled search asks for."""

    generation: int
    rivals: int
    window: int
    mutation: float
    questions: int
    least: float
    stagnation: int
    patience: int
    replaced: int


class State(NamedTuple):
    """A search under way."""

    instance: Instance
    settings: Settings
    model: Model
    random: Random
    genes: NDArray[np.int16]
    """The population, of shape (chromosomes, genes, 3)."""
    cost: NDArray[np.int64]
    """Conflicts of each chromosome."""
    used: NDArray[np.int16]
    """What each chromosome takes, of shape (chromosomes, steps, resources)."""
    idle: NDArray[np.int64]
    """New chromosomes from each template since it was last bettered."""
    best: NDArray[np.int16]
    """The best chromosome so far."""
    figures: NDArray[np.float64]
    """Conflicts of the best, genes that a new chromosome draws from the model, new chromosomes, and
    how often a template stagnated since there was a new best."""


def begin(instance: Instance, parameters: Parameters, seed: int) -> State:
    """Make room for a population; ``evolve`` draws it."""
    size, genes = parameters.population, len(instance.bounds)
    # As they are declared: of another type, all would be compiled again.
    real = {"mutation": float(parameters.mutation), "least": float(parameters.least)}
    rest = {name: int(getattr(parameters, name)) for name in set(Settings._fields) - set(real)}
    settings = Settings(**rest, **real)  # type: ignore[arg-type]
    return State(
        instance,
        settings,
        blank_model(instance, parameters.selected, parameters.leaves),
        seeded(seed),
        np.zeros((size, genes, 3), np.int16),
        np.zeros(size, np.int64),
        np.zeros((size, instance.steps, len(instance.room)), np.int16),
        np.zeros(size, np.int64),
        np.zeros((genes, 3), np.int16),
        np.array([np.inf, genes, 0.0, 0.0]),
    )


@njit(cache=True)
def evolve(state: State, most: int) -> None:
    """Try so many new chromosomes, or fewer if one without conflicts is found.

    The first of them are the first population.
    """
    instance, model, settings, random = state.instance, state.model, state.settings, state.random
    genes, cost, idle, figures = state.genes, state.cost, state.idle, state.figures
    bounds, pair, room = instance.bounds, instance.pair, instance.room
    first_path, first_use, use = instance.first_path, instance.first_use, instance.use
    grows, size, length = instance.grows, genes.shape[0], genes.shape[1]
    touched = np.empty(length + 1, np.int64)
    olds = np.empty((length + 1, 3), np.int16)
    wanted = 0.05 + 0.3 / np.sqrt(length)
    for _ in range(most):
        if figures[LEAST] == 0:
            return
        number = int(figures[TRIED])
        figures[TRIED] += 1
        if number < size:
            first = genes[number]
            for gene in range(length):
                _mutate(bounds, first, gene, random)
            if grows:
                repair(instance.steps, first, random)
            cost[number] = weigh(instance, first, state.used[number])
            _keep(first, cost[number], state.best, figures)
            continue
        if (number - size) % settings.generation == 0:
            learn(model, genes, cost, settings.rivals, random)
        chosen = below(random, size)
        for _ in range(settings.rivals - 1):
            other = below(random, size)
            if cost[other] < cost[chosen]:
                chosen = other
        mine, used = genes[chosen], state.used[chosen]
        if idle[chosen] >= settings.stagnation * length:
            idle[chosen] = 0
            stalls = int(figures[STALLS]) // (size * settings.patience)
            for _ in range(1 + stalls % settings.replaced):
                cost[chosen] += _replace_path(instance, mine, used, random)
            figures[STALLS] += 1
            _keep(mine, cost[chosen], state.best, figures)
            continue

        # A new chromosome, in the place of its template: genes from the model, and one mutated.
        found = cost[chosen]
        count = _choose(figures[DRAWN], model.order, touched, random)
        drawn = count
        if chance(random) < settings.mutation:
            touched[count] = below(random, length)
            count += 1
        if grows:
            _copy(mine, olds)
        for i in range(count):
            gene = touched[i]
            if not grows:
                for item in range(3):
                    olds[i, item] = mine[gene, item]
                found -= take(pair, first_path, first_use, use, room, mine, gene, used, -1)
            if i < drawn:
                width = figures[DRAWN] / length
                draw(bounds, model, gene, mine, width, settings.questions, random)
            else:
                _mutate(bounds, mine, gene, random)
            if not grows:
                found += take(pair, first_path, first_use, use, room, mine, gene, used, 1)
        if grows:
            repair(instance.steps, mine, random)
            for gene in range(length):
                if _unlike(mine, olds, gene):
                    found -= take(pair, first_path, first_use, use, room, olds, gene, used, -1)
                    found += take(pair, first_path, first_use, use, room, mine, gene, used, 1)
        _keep(mine, found, state.best, figures)

        # Restricted tournament: it takes the place of the one most like it, or none.
        victim = _nearest(genes, chosen, settings.window, count, random)
        better = found < cost[victim]
        stays = victim == chosen and found <= cost[victim]
        if victim != chosen and found <= cost[victim]:
            _copy(mine, genes[victim])
            _copy(used, state.used[victim])
            cost[victim], idle[victim] = found, 0 if better else idle[chosen]
        idle[chosen] = 0 if stays and better else idle[chosen] + 1
        if stays:
            cost[chosen] = found
        elif grows:
            for gene in range(length):
                if _unlike(mine, olds, gene):
                    take(pair, first_path, first_use, use, room, mine, gene, used, -1)
                    take(pair, first_path, first_use, use, room, olds, gene, used, 1)
            _copy(olds[:length], mine)
        else:
            for i in range(count - 1, -1, -1):
                gene = touched[i]
                take(pair, first_path, first_use, use, room, mine, gene, used, -1)
                for item in range(3):
                    mine[gene, item] = olds[i, item]
                take(pair, first_path, first_use, use, room, mine, gene, used, 1)

        # Ocenasek, Kern, Hansen and Koumoutsakos (2004): wider after a success, narrower after a
        # failure, such that the width stays if there are as many successes as wanted.
        power = 1.0 if better else wanted / (wanted - 1.0)
        figures[DRAWN] *= np.exp(power * 4.0 / settings.generation)
        figures[DRAWN] = min(max(figures[DRAWN], settings.least), length)


@njit(cache=True)
def _copy(source: NDArray[np.int16], target: NDArray[np.int16]) -> None:
    """Copy a table into one that is as large or larger."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@njit(cache=True, forceinline=True)
def _unlike(first: NDArray[np.int16], second: NDArray[np.int16], gene: int) -> bool:
    """Tell whether a gene differs."""
    return bool(
        first[gene, STEP] != second[gene, STEP]
        or first[gene, PATH] != second[gene, PATH]
        or first[gene, SOURCE] != second[gene, SOURCE]
    )


@njit(cache=True)
def _keep(
    genes: NDArray[np.int16], cost: int, best: NDArray[np.int16], figures: NDArray[np.float64]
) -> None:
    """Keep a chromosome if it is the best so far."""
    if cost < figures[LEAST]:
        figures[LEAST], figures[STALLS] = cost, 0
        _copy(genes, best)


@njit(cache=True, forceinline=True)
def _mutate(bounds: NDArray[np.int32], genes: NDArray[np.int16], gene: int, random: Random) -> None:
    """Set the items of a gene to random values within their bounds."""
    for item in range(3):
        if bounds[gene, item] > 1:
            genes[gene, item] = below(random, bounds[gene, item])


@njit(cache=True, forceinline=True)
def _choose(
    drawn: float, order: NDArray[np.int32], touched: NDArray[np.int64], random: Random
) -> int:
    """Choose the genes to draw from the model, in its order; return how many."""
    length, found = len(order), 0
    count = int(drawn)
    count += chance(random) < drawn - count
    if count > 0:
        # Each gene in turn, with the chance that as many as wanted are chosen in the end.
        for i in range(length):
            if chance(random) * (length - i) < count - found:
                touched[found] = order[i]
                found += 1
    return found


@njit(cache=True, forceinline=True)
def _nearest(genes: NDArray[np.int16], chosen: int, window: int, least: int, random: Random) -> int:
    """Return who is most like a new chromosome: its template, or one of some at random.

    The template, in whose place it stands, differs from it in ``least`` genes at most.
    """
    nearest = chosen
    for _ in range(window - 1):
        other = below(random, len(genes))
        if other == chosen:
            continue
        unlike = 0
        for gene in range(genes.shape[1]):
            unlike += _unlike(genes[other], genes[chosen], gene)
            if unlike >= least:
                break
        if unlike < least:
            nearest, least = other, unlike
    return nearest


@njit(cache=True)
def _replace_path(
    instance: Instance, genes: NDArray[np.int16], used: NDArray[np.int16], random: Random
) -> int:
    """Replace a path by another one, of a message in conflict if one is found.

    Return the conflicts that this adds.
    """
    pair, room = instance.pair, instance.room
    first_path, first_use, use = instance.first_path, instance.first_use, instance.use
    length = len(genes)
    for trial in range(4 * length):
        gene = below(random, length)
        most = instance.bounds[gene, PATH]
        if most == 1:
            continue
        gone = take(pair, first_path, first_use, use, room, genes, gene, used, -1)
        replaced = gone > 0 or trial >= 3 * length
        if replaced:
            path = below(random, most - 1)
            genes[gene, PATH] = path + (path >= genes[gene, PATH])
        come = take(pair, first_path, first_use, use, room, genes, gene, used, 1)
        if replaced:
            return come - gone
    return 0
