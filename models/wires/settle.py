"""Out of every state there is a way on: barriers end, and cleared slots are as after reset."""

from __future__ import annotations

import numpy as np

from syncfabric.models.wires.explore import Exploration, Inputs, Violation
from syncfabric.models.wires.slots import Bits
from syncfabric.models.wires.world import Keys, World, take

__all__ = ["check_clean", "check_ends"]


def check_ends(exploration: Exploration, known: Keys) -> None:
    """Check that no barrier hangs and no arrival is lost, wherever nobody has cleared anything.

    All units that are not yet are set up and nobody arrives until all is quiet; then who has not
    arrived does, and everybody must be released once.

    Raises
    ------
    Violation
        Somebody is not released.
    """
    world = exploration.packing.unpack(known)
    world = take(world, np.flatnonzero((world.ended == 0) & (world.torn == 0)))
    slots = exploration.slots
    (tree,) = slots.trees
    nothing = np.zeros_like(world.ahead)
    quiet = Inputs(nothing, nothing, nothing)
    cycles = (2 * tree.depth + 2) * (slots.registers + 1) + 6
    opens = tree.units & ~world.state.valid
    world = exploration.judge(world, quiet._replace(opens=opens), 0)
    for _ in range(cycles):
        world = exploration.judge(world, quiet, 0)
    late = tree.members & ~world.state.la
    before, told = world, [nothing] * 2
    world = _counted(exploration, world, quiet._replace(arrive=late), told)
    for _ in range(cycles):
        world = _counted(exploration, world, quiet, told)
    once, twice = told
    left = (tree.members & ~once) | twice | world.state.la | world.ahead | before.ahead
    if left.any():
        raise Violation(f"units {left[left != 0][0]:b} hang")


def _counted(exploration: Exploration, world: World, inputs: Inputs, told: list[Bits]) -> World:
    """Go on, and note who is released once, and twice."""
    released = exploration.slots.step(world.state, *inputs).released
    told[1] = told[1] | told[0] & released
    told[0] = told[0] | released
    return exploration.judge(world, inputs, 0)


def check_clean(exploration: Exploration, known: Keys) -> None:
    """Check that P cycles after the last unit is clear nothing is left, on the links either.

    So what is set up then is as after reset, be it the same tree or another.

    Raises
    ------
    Violation
        Something is left.
    """
    world = exploration.packing.unpack(known)
    state = take(world, np.flatnonzero((world.ended == 1) & (world.state.valid == 0))).state
    nothing = np.zeros_like(state.valid)
    for _ in range(exploration.slots.registers):
        state = exploration.slots.step(state, nothing, nothing, nothing).state
    levels = [state.la, state.up, state.dn, state.fault, *state.stale]
    for word in [*levels, *(word for pair in state.late for word in pair)]:
        if word.any():
            raise Violation("something is left of a life when all is clear")
