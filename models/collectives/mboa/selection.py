"""Who is the template of a new chromosome, and whose place it takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.chance import Random, below, chance
from syncfabric.models.collectives.mboa.state import HEAT, LEFT, SPAN, State
from syncfabric.models.collectives.mboa.tables import copy, unlike
from syncfabric.models.collectives.mboa.tournament import tournament
from syncfabric.models.compiled import inlined

__all__ = ["allowed", "cool", "nearest", "spread", "supplant"]


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
