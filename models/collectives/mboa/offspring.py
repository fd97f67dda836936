"""A new chromosome, made in the place of its template, and taken back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.chance import Random, below, chance, two
from syncfabric.models.collectives.mboa.encoding import PATH, STEP
from syncfabric.models.collectives.mboa.fitness import added, in_the_way, take
from syncfabric.models.collectives.mboa.mutation import mutate, values
from syncfabric.models.collectives.mboa.repair import repair
from syncfabric.models.collectives.mboa.state import DRAWN, State
from syncfabric.models.collectives.mboa.tables import copy, put, unlike
from syncfabric.models.collectives.mboa.trees import draw
from syncfabric.models.compiled import inlined

__all__ = ["scatter", "tree", "unscatter", "untree"]


@inlined
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


@inlined
def scatter(state: State, chosen: int, bound: int) -> tuple[int, int]:
    """Change a template that is a scatter: draw genes from the model, and mutate one.

    If a message is in the way of the mutated one's, the two change places in a quarter of all
    cases. Return how many genes are changed, and the conflicts that this adds; or 0, and some
    number above ``bound``, if it adds more than that.
    """
    instance, random, mine, used = state.instance, state.random, state.genes[chosen], state.used
    touched, olds, taken = state.touched, state.olds, used[chosen]
    drawn = state.figures[DRAWN]
    count = _choose(drawn, state.model.order, touched, random)
    found = 0
    for i in range(count):
        gene = touched[i]
        put(mine, gene, olds, i)
        found -= take(instance, mine, gene, taken, -1)
        width = drawn / len(mine)
        draw(instance.bounds, state.model, gene, mine, width, state.settings.questions, random)
        found += take(instance, mine, gene, taken, 1)
    rate = state.settings.mutation
    if rate < 1.0 and chance(random) >= rate:
        return count, found
    gene, kind = two(random, len(mine), 8)
    path, step = values(instance.bounds, mine, gene, kind, random)
    now = mine[gene, STEP]
    other = -1
    if kind >= 6 and step != now:
        other = in_the_way(instance, gene, path, step, taken)
    if count == 0 and step != now and other < 0:
        # Most new chromosomes are refused: those are weighed before they are made.
        found = added(instance, mine, gene, path, step, taken, bound)
        if found > bound:
            return 0, found
        found = 0
    put(mine, gene, olds, count)
    touched[count] = gene
    found -= take(instance, mine, gene, taken, -1)
    mine[gene, PATH], mine[gene, STEP] = path, step
    found += take(instance, mine, gene, taken, 1)
    if other >= 0:
        put(mine, other, olds, count + 1)
        touched[count + 1] = other
        found -= take(instance, mine, other, taken, -1)
        mine[other, STEP] = now
        if kind == 7:
            mine[other, PATH] = below(random, instance.bounds[other, PATH])
        found += take(instance, mine, other, taken, 1)
        count += 1
    return count + 1, found


@inlined
def unscatter(state: State, chosen: int, count: int) -> None:
    """Take back what ``scatter`` changed."""
    mine, used = state.genes[chosen], state.used[chosen]
    for i in range(count - 1, -1, -1):
        gene = state.touched[i]
        take(state.instance, mine, gene, used, -1)
        put(state.olds, i, mine, gene)
        take(state.instance, mine, gene, used, 1)


@inlined
def tree(state: State, chosen: int) -> tuple[int, int]:
    """Change a template that is a broadcast: draw genes, mutate one, and repair the tree.

    Return how many genes were changed before the repair, and the conflicts that this adds.
    """
    instance, random, mine, olds = state.instance, state.random, state.genes[chosen], state.olds
    used, drawn = state.used[chosen], state.figures[DRAWN]
    copy(mine, olds)
    count = _choose(drawn, state.model.order, state.touched, random)
    for i in range(count):
        gene, width = state.touched[i], drawn / len(mine)
        draw(instance.bounds, state.model, gene, mine, width, state.settings.questions, random)
    if chance(random) < state.settings.mutation:
        mutate(instance.bounds, mine, below(random, len(mine)), random)
        count += 1
    repair(instance.steps, mine, state.informed, random)
    found = 0
    for gene in range(len(mine)):
        if unlike(mine, olds, gene):
            found -= take(instance, olds, gene, used, -1)
            found += take(instance, mine, gene, used, 1)
    return count, found


@inlined
def untree(state: State, chosen: int) -> None:
    """Take back what ``tree`` changed."""
    mine, olds, used = state.genes[chosen], state.olds, state.used[chosen]
    for gene in range(len(mine)):
        if unlike(mine, olds, gene):
            take(state.instance, mine, gene, used, -1)
            take(state.instance, olds, gene, used, 1)
            put(olds, gene, mine, gene)
