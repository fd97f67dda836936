"""All interleavings of a small multicast tree: every order in which buffers and cores can step.

It knows counts alone, no cycles and no credits in flight: what is possible with them is possible
here. A state has everything but how many episodes are over in all, so it covers endless runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.models.planning.ring_states import Counts, at, explore_all, leave


@dataclass(frozen=True)
class Tree:
    """Switches in a tree, the root's at 0.

    Parameters
    ----------
    above : tuple of int
        The switch above each of the others: ``above[i]`` is that of switch i + 1, and smaller.
    members : tuple of int
        Switches with a member, the root's not among them.
    core, switch, injection : int
        B, W and O.
    flits : int
        F, of an episode.
    lock_step : bool
        A switch sends to all its outputs at once.
    """

    above: Counts
    members: Counts
    core: int
    switch: int
    injection: int
    flits: int
    lock_step: bool = True

    def below(self, switch: int) -> list[int]:
        """Return the switches that one leads on to."""
        return [i + 1 for i, above in enumerate(self.above) if above == switch]


@dataclass(frozen=True)
class State:
    """Flits in the buffers, and how far the cores are.

    ``inputs`` counts those of the injection buffer, then of the switches; ``cores`` those of the
    members. ``left`` is what the root may send freely, then what each member has yet to read.
    ``come`` and ``gone`` count arrivals and releases, less those of the slowest, the root first.
    ``sent`` has the outputs of a switch that have their copy of its front flit.
    """

    inputs: Counts
    cores: Counts
    left: Counts
    come: Counts
    gone: Counts
    sent: frozenset[tuple[int, str, int]] = frozenset()


def _outputs(tree: Tree, switch: int) -> list[tuple[int, str, int]]:
    """Return the outputs of a switch: to switches, and to its member."""
    outputs = [(switch, "switch", below) for below in tree.below(switch)]
    return outputs + [
        (switch, "core", place) for place, here in enumerate(tree.members) if here == switch
    ]


def _give(tree: Tree, state: State, output: tuple[int, str, int]) -> State | None:
    """Copy a switch's front flit to one output, if there is room."""
    _, kind, place = output
    if kind == "core":
        room = state.cores[place] < tree.core
        return replace(state, cores=at(state.cores, place, 1)) if room else None
    room = state.inputs[place] < tree.switch
    return replace(state, inputs=at(state.inputs, place, 1)) if room else None


def _switches(tree: Tree, state: State) -> Iterator[State]:
    """Yield what can become of a state by one step of a switch."""
    for switch, count in enumerate(state.inputs):
        if not count:
            continue
        outputs = _outputs(tree, switch)
        if tree.lock_step:
            after: State | None = state
            for output in outputs:
                after = after and _give(tree, after, output)
            if after:
                yield replace(after, inputs=at(after.inputs, switch, -1))
            continue
        for output in outputs:
            if output in state.sent or not (after := _give(tree, state, output)):
                continue
            sent = state.sent | {output}
            if set(outputs) <= sent:
                sent -= set(outputs)
                after = replace(after, inputs=at(after.inputs, switch, -1))
            yield replace(after, sent=sent)


def _agents(tree: Tree, state: State) -> Iterator[State]:
    """Yield what can become of a state by one step of an agent."""
    for who, left in enumerate(state.left):
        inside = state.come[who] > state.gone[who]
        if not inside:
            come = replace(state, come=at(state.come, who, 1))
            yield replace(come, left=at(come.left, who, tree.flits)) if who else come
        if who == 0:
            if state.inputs[0] == tree.injection or not (left or inside):
                continue
            sent = replace(state, inputs=at(state.inputs, 0, 1))
            if left:
                yield replace(sent, left=at(sent.left, 0, -1))
            else:
                yield leave(replace(sent, left=at(sent.left, 0, tree.flits - 1)), 0)
        elif left and state.cores[who - 1]:
            read = replace(state, cores=at(state.cores, who - 1, -1), left=at(state.left, who, -1))
            yield leave(read, who) if left == 1 else read


def explore(tree: Tree) -> int:
    """Go through all states of a tree, and return how many there are; see ``explore_all``."""
    count = len(tree.members) + 1
    none = (0,) * count
    left = (tree.flits - 1, *none[1:])
    start = State((0,) * (len(tree.above) + 1), (0,) * len(tree.members), left, none, none)
    return explore_all(start, lambda state: {*_switches(tree, state), *_agents(tree, state)})
