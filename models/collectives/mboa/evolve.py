"""The search itself, compiled: a population, and new chromosomes one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.dice import Random, below, chance, scaled
from syncfabric.models.collectives.dice import draw as dice
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
from syncfabric.models.collectives.moves import (
    Chain,
    Tables,
    any_option,
    drawn,
    make,
    recount,
    row_of,
    values,
    weigh,
)
from syncfabric.models.compiled import inlined, uncounted

__all__ = [
    "RATE",
    "allowed",
    "change",
    "cool",
    "evolve",
    "grow",
    "nearest",
    "repair",
    "revert",
    "spread",
    "supplant",
    "wanted",
]


@inlined
def supplant(chains: Chain, winner: int, loser: int) -> None:
    """Copy a chromosome and what it takes into another's place."""
    _copy(chains.option[winner], chains.option[loser])
    _copy(chains.step[winner], chains.step[loser])
    _copy(chains.count[winner], chains.count[loser])
    _copy(chains.holder[winner], chains.holder[loser])
    _copy(chains.shared[winner], chains.shared[loser])
    _copy(chains.kids[winner], chains.kids[loser])


@inlined
def _copy(source: NDArray[np.int32], target: NDArray[np.int32]) -> None:
    for i in range(len(source)):
        target[i] = source[i]


@inlined
def spread(state: State) -> None:
    """Let each chromosome meet a tournament's winner, which takes its place too if it is better."""
    for loser in range(len(state.cost)):
        winner = tournament(state.cost, state.settings.rivals, state.random)
        if state.cost[winner] < state.cost[loser]:
            supplant(state.chains, winner, loser)
            state.cost[loser], state.idle[loser] = state.cost[winner], state.idle[winner]


@inlined
def nearest(chains: Chain, chosen: int, window: int, least: int, random: Random) -> int:
    """Return who is most like a new chromosome: its template, or one of some at random.

    The template, in whose place it stands, differs from it in ``least`` genes at most.
    """
    option, step, found = chains.option, chains.step, chosen
    for _ in range(window - 1):
        other = below(random, len(option))
        if other == chosen:
            continue
        different = 0
        for gene in range(option.shape[1]):
            different += (
                option[other, gene] != option[chosen, gene]
                or step[other, gene] != step[chosen, gene]
            )
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
def _give(state: State, chain: Chain, count: int, gene: int, option: int, step: int) -> int:
    """Give a gene an option and a step, as change number ``count``; return the conflicts added."""
    state.olds[count, 0], state.olds[count, 1] = gene, chain.option[gene]
    state.olds[count, 2] = chain.step[gene]
    return int(make(state.tables, chain, gene, option, step))


@inlined
def revert(state: State, chosen: int, count: int) -> None:
    """Take back so many changes."""
    chain, olds = row_of(state.chains, chosen), state.olds
    for i in range(count - 1, -1, -1):
        make(state.tables, chain, np.int64(olds[i, 0]), np.int64(olds[i, 1]), np.int64(olds[i, 2]))


@inlined
def change(state: State, chosen: int, bound: int) -> tuple[int, int]:
    """Change a template: draw genes from the model, and mutate one.

    If a message is in the way of the mutated one's, the two change steps in a quarter of all
    cases. Return how many changes were made, and the conflicts that they add; or 0, and some number
    above ``bound``, if they add more than that.
    """
    tables, random, chain = state.tables, state.random, row_of(state.chains, chosen)
    questions, mean = state.settings.questions, state.figures[DRAWN]
    count = _choose(mean, state.model.order, state.touched, random)
    found = 0
    for i in range(count):
        gene = state.touched[i]
        width = mean / len(chain.step)
        o, t = draw(state.model, tables, gene, chain, width, questions, random)
        found += _give(state, chain, i, gene, o, t)
    if state.settings.mutation >= 1.0 or chance(random) < state.settings.mutation:
        g, o, t, h, p, _ = drawn(tables, chain, random, 0)
        now = int(chain.step[g])
        if count == 0 and t != now and h < 0:
            # Most new chromosomes are refused: those are weighed before they are made.
            found = weigh(tables, chain, g, o, t, bound)
            if found > bound:
                return 0, found
            found = 0
        found += _give(state, chain, count, g, o, t)
        count += 1
        if h >= 0:
            found += _give(state, chain, count, h, p, now)
            count += 1
    return count, found


@inlined
def grow(state: State, chosen: int) -> tuple[int, int, int]:
    """Change a template that is a broadcast: draw genes, mutate one, and repair the tree.

    Only then the genes that differ are given what they take. Return how many do, how many were
    drawn and mutated, and the conflicts that this adds.
    """
    tables, random, chain = state.tables, state.random, row_of(state.chains, chosen)
    questions, mean, olds = state.settings.questions, state.figures[DRAWN], state.before
    _copy(chain.option, olds[0])
    _copy(chain.step, olds[1])
    made = _choose(mean, state.model.order, state.touched, random)
    for i in range(made):
        gene = state.touched[i]
        width = mean / len(chain.step)
        o, t = draw(state.model, tables, gene, chain, width, questions, random)
        chain.option[gene], chain.step[gene] = o, t
    if chance(random) < state.settings.mutation:
        gene, o, t, _ = values(tables, random, 0)
        chain.option[gene], chain.step[gene] = o, t
        made += 1
    repair(state, chain)
    count = found = 0
    for gene in range(len(chain.step)):
        o, t = int(chain.option[gene]), int(chain.step[gene])
        if o != olds[0, gene] or t != olds[1, gene]:
            chain.option[gene], chain.step[gene] = olds[0, gene], olds[1, gene]
            found += _give(state, chain, count, gene, o, t)
            count += 1
    return count, made, found


@inlined
def repair(state: State, chain: Chain) -> None:
    """Make a tree of a broadcast's options and steps, whatever they take.

    A gene whose sender has not got the message before the step gets an option of a random one that
    has. The origin always has; so there is one.
    """
    tables, step, ready = state.tables, chain.step, state.room
    parent, sent = tables.parent, tables.sent
    for gene in range(len(step)):
        sender, now = parent[chain.option[gene]], step[gene]
        if sender >= 0 and step[sender] >= now:
            count = 0
            for i in range(tables.first_sender[gene], tables.first_sender[gene + 1]):
                other = parent[sent[i]]
                if other < 0 or step[other] < now:
                    ready[count] = i
                    count += 1
            i = ready[below(state.random, count)]
            chain.option[gene] = sent[i] + below(state.random, sent[i + 1] - sent[i])


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
    size, length = state.chains.option.shape
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
            learn(state.model, state.tables, state.chains, cost, settings.rivals, random)
        cool(state)
        if number >= figures[TENURE]:
            figures[TENURE] = number + settings.tenure * length
            figures[TEMPLATE] = (figures[TEMPLATE] + 1) % size
        chosen = int(figures[TEMPLATE])
        if state.idle[chosen] >= settings.stagnation * length:
            state.idle[chosen] = 0
            cost[chosen] += replace_path(state.tables, row_of(state.chains, chosen), random)
            _keep(state, chosen, cost[chosen])
            continue
        bound = allowed(state)
        if state.grows:
            count, made, more = grow(state, chosen)
        else:
            count, more = change(state, chosen, bound)
            made = count
        better = False
        if count == 0 and more > bound:
            state.idle[chosen] += 1
        else:
            better = _settle(state, chosen, count, made, cost[chosen] + more, bound)
        if settings.leaves > 0:
            _adapt(state, more_drawn if better else fewer_drawn)


@inlined
def _first(state: State, number: int) -> None:
    """Draw a chromosome of the first population."""
    tables, chain = state.tables, row_of(state.chains, number)
    for gene in range(len(chain.step)):
        bits = dice(state.random, 0)
        low, high = tables.low[gene], tables.high[gene]
        chain.option[gene] = any_option(tables, gene, bits >> np.uint64(32))
        chain.step[gene] = low + scaled(bits & np.uint64(0xFFFFFFFF), high - low + 1)
    if state.grows:
        repair(state, chain)
    state.cost[number] = recount(tables, state.chains, number, state.room)
    _keep(state, number, state.cost[number])


@inlined
def replace_path(tables: Tables, chain: Chain, random: Random) -> int:
    """Give a gene another option, one in conflict if it is found; return the conflicts added."""
    length = len(chain.step)
    for trial in range(4 * length):
        gene = below(random, length)
        old, step = np.int64(chain.option[gene]), np.int64(chain.step[gene])
        begin, end = tables.first_option[gene], tables.first_option[gene + 1]
        if end - begin == 1:
            continue
        more = make(tables, chain, gene, old, tables.steps)
        replaced = more < 0 or trial >= 3 * length
        option = old
        if replaced:
            option = begin + below(random, end - begin - 1)
            option += option >= old
        more += make(tables, chain, gene, option, step)
        if replaced:
            return int(more)
    return 0


@inlined
def _keep(state: State, chosen: int, cost: int) -> None:
    """Keep a chromosome if it is the best so far."""
    if cost < state.figures[LEAST]:
        state.figures[LEAST] = cost
        _copy(state.chains.option[chosen], state.best[0])
        _copy(state.chains.step[chosen], state.best[1])


@inlined
def _settle(state: State, chosen: int, count: int, made: int, found: int, bound: int) -> bool:
    """Let a new chromosome take the place of the one most like it, or none.

    That is a restricted tournament (Harik, 1995). Return whether it is the better one.
    """
    _keep(state, chosen, found)
    window, victim, worst = state.settings.window, chosen, 0
    for cost in state.cost:
        worst = max(worst, cost)
    # Most are worse than all: then it does not matter who is most like them.
    if found - worst <= bound:
        victim = nearest(state.chains, chosen, window, count, state.random)
    better = found < state.cost[victim]
    wins = found - state.cost[victim] <= bound
    idle = state.idle[chosen] + 1
    if wins and victim != chosen:
        supplant(state.chains, chosen, victim)
    if wins:
        state.cost[victim], state.idle[victim] = found, 0 if better else idle
    if not wins or victim != chosen:
        state.idle[chosen] = idle
        revert(state, chosen, count)
    return bool(better)


@inlined
def _adapt(state: State, factor: float) -> None:
    """Draw more genes from the model after a success, and fewer after a failure.

    Their number stays if there are as many successes as wanted (Ocenasek, Kern, Hansen and
    Koumoutsakos, 2004).
    """
    drawn = state.figures[DRAWN] * factor
    state.figures[DRAWN] = min(max(drawn, state.settings.least), state.best.shape[1])
