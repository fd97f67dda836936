"""The search itself, compiled: a population, and new chromosomes one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.dice import Random, below, chance, two
from syncfabric.models.collectives.mboa.encoding import PATH, STEP
from syncfabric.models.collectives.mboa.genes import (
    added,
    copy,
    in_the_way,
    mutate,
    put,
    repair,
    replace_path,
    take,
    unlike,
    values,
    weigh,
)
from syncfabric.models.collectives.mboa.state import (
    DRAWN,
    HEAT,
    LEAST,
    LEFT,
    MODEL,
    SPAN,
    TEMPLATE,
    TENURE,
    TRIED,
    State,
)
from syncfabric.models.collectives.mboa.trees import draw, learn, tournament
from syncfabric.models.compiled import inlined, uncounted

__all__ = [
    "RATE",
    "allowed",
    "cool",
    "evolve",
    "nearest",
    "scatter",
    "spread",
    "supplant",
    "tree",
    "unscatter",
    "untree",
    "wanted",
]


@inlined
def supplant(state: State, winner: int, loser: int) -> None:
    """Copy a chromosome and what it takes into another's place."""
    copy(state.genes[winner], state.genes[loser])
    for step in range(state.used.shape[1]):
        for resource in range(state.used.shape[2]):
            for item in range(2):
                state.used[loser, step, resource, item] = state.used[winner, step, resource, item]


@inlined
def spread(state: State) -> None:
    """Let each chromosome meet a tournament's winner, which takes its place too if it is better."""
    for loser in range(len(state.cost)):
        winner = tournament(state.cost, state.settings.rivals, state.random)
        if state.cost[winner] < state.cost[loser]:
            supplant(state, winner, loser)
            state.cost[loser], state.idle[loser] = state.cost[winner], state.idle[winner]


@inlined
def nearest(genes: NDArray[np.int16], chosen: int, window: int, least: int, random: Random) -> int:
    """Return who is most like a new chromosome: its template, or one of some at random.

    The template, in whose place it stands, differs from it in ``least`` genes at most.
    """
    found = chosen
    for _ in range(window - 1):
        other = below(random, len(genes))
        if other == chosen:
            continue
        different = 0
        for gene in range(genes.shape[1]):
            different += unlike(genes[other], genes[chosen], gene)
            if different >= least:
                break
        if different < least:
            found, least = other, different
    return found


@inlined
def allowed(state: State) -> int:
    """Return how many conflicts more than its rival's a new chromosome may have.

    That is a Boltzmann tournament (Goldberg, 1990): the chance of d more is that of exp(-d / T).
    """
    dice, more = chance(state.random), 0
    while more + 1 < len(state.accept) and dice < state.accept[more + 1]:
        more += 1
    return more


@inlined
def cool(state: State) -> None:
    """Go on to the next temperature if it is time.

    After the coldest the better ones take the place of others, which are heated again and cool half
    as fast.
    """
    figures, settings = state.figures, state.settings
    if figures[LEFT] <= 0:
        figures[HEAT] *= settings.cooling
        if figures[HEAT] < settings.cold:
            if figures[HEAT] > 0:
                spread(state)
            figures[HEAT] = settings.hot
            figures[SPAN] *= 2
        figures[LEFT] = figures[SPAN]
        for more in range(len(state.accept)):
            state.accept[more] = np.exp(-more / figures[HEAT])
    figures[LEFT] -= 1


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
    gene, kind = two(random, 0, len(mine), 8)
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
