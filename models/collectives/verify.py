"""Whether a lower bound holds, by its argument alone.

It counts anew what the argument says, with none of the searches that find bounds. What each
argument proves stands at its class, and in docs/schedules.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from syncfabric.models.collectives.arguments import (
    Argument,
    Cut,
    Distance,
    Farthest,
    Growth,
    Load,
    Paper,
    PortCount,
    Relays,
    Solver,
    Start,
)
from syncfabric.models.collectives.certificate import Bound
from syncfabric.models.collectives.growth import growth, needed
from syncfabric.models.collectives.task import Task

__all__ = ["verify"]


def verify(task: Task, bound: Bound) -> str | None:
    """Return what is wrong with a bound's argument, or None if it proves the bound.

    Parameters
    ----------
    task : Task
        What the bound is about.
    bound : Bound
    """
    said = bound.argument
    if isinstance(said, Paper):
        return "a formula of the paper proves nothing"
    if isinstance(said, Solver):
        return "a solver's proof cannot be checked without the solver"
    forward = task.forward()
    for vertex in _named(said):
        if not 0 <= vertex < forward.topology.vertices:
            return f"{vertex} is not in the topology"
    proved, counted = _proof(forward, said)
    if counted is not None:
        return counted
    return None if proved >= bound.value else f"it proves {proved}, not {bound.value}"


Found = tuple[int, str | None]
"""The bound that is proved, and what the argument counts wrong."""


def _proof(task: Task, said: Argument) -> Found:
    match said:
        case PortCount():
            return _ports(task, said)
        case Cut():
            return _cut(task, said)
        case Distance():
            return _distance(task, said)
        case Load():
            return _load(task, said)
        case Growth():
            return _growth(task, said)
        case Farthest():
            return _farthest(task, said)
        case Start():
            return _start(task, said)
        case Relays():
            return _relays(task, said)
    return 0, "it is of no kind that is known"


def _named(said: Argument) -> tuple[int, ...]:
    """Return the vertices that an argument is about."""
    match said:
        case PortCount():
            return (said.node,)
        case Cut() | Start() | Relays():
            return said.side
        case Growth():
            return (said.origin,)
        case Farthest():
            return (said.source, said.destination)
    return ()


def _ports(task: Task, said: PortCount) -> Found:
    topology = task.topology
    if said.way == "out" and task.collective.broadcast:
        return 0, "a node need not inject what others can pass on"
    near = topology.sources if said.way == "in" else topology.successors
    end = 1 if said.way == "in" else 0
    messages = sum(1 for pair in task.collective.pairs if pair[end] == said.node)
    ports = task.rules.at_most(len(near[said.node]))
    return _over(messages, ports), _differs((said.messages, messages), (said.ports, ports))


def _cut(task: Task, said: Cut) -> Found:
    side = set(said.side)
    channels = {(a, b) for a, b in task.topology.channels if a in side and b not in side}
    leaving = (pair for pair in task.collective.pairs if pair[0] in side and pair[1] not in side)
    if task.collective.broadcast:
        messages = len({origin for origin, _ in leaving})
    else:
        messages = sum(1 for _ in leaving)
    wrong = _differs((said.messages, messages))
    if channels != set(said.channels):
        wrong = "these are not the channels out of the set"
    return _over(messages, len(channels)), wrong


def _distance(task: Task, said: Distance) -> Found:
    if task.collective.broadcast:
        return 0, "a broadcast need not go the whole way for each receiver"
    total = sum(hops[target] for hops, target in _hops_of_pairs(task))
    capacity = len(task.topology.channels)
    if task.hop_by_hop:
        capacity = sum(task.rules.at_most(len(out)) for out in task.topology.successors)
    return _over(total, capacity), _differs((said.hops, total), (said.capacity, capacity))


def _load(task: Task, said: Load) -> Found:
    if task.collective.broadcast:
        return 0, "a broadcast need not go the whole way for each receiver"
    if said.minimal and not task.minimal:
        return 0, "it is about shortest paths, but longer ones may be taken"
    weight = {(a, b): w for a, b, w in said.weights}
    if min(weight.values(), default=0) < 0 or not weight.keys() <= task.topology.number.keys():
        return 0, "a weight is negative, or of no channel"
    lightest: dict[int, dict[int, int]] = {}
    total = 0
    for source, target in task.collective.pairs:
        if source not in lightest:
            lightest[source] = _lightest(task, source, weight, said.minimal)
        total += lightest[source][target]
    return _over(total, sum(weight.values())), _differs((said.total, total))


def _lightest(
    task: Task, source: int, weight: dict[tuple[int, int], int], minimal: bool
) -> dict[int, int]:
    """Return the weight of the lightest path to each vertex."""
    topology, hops = task.topology, task.hops(source)
    found: dict[int, int] = {}
    queue = [(0, 0, source)]
    while queue:
        # By hops first where only shortest paths count: all ways to a vertex come before its own.
        *_, weighs, here = entry = heappop(queue)
        if here in found:
            continue
        found[here] = weighs
        for near in topology.successors[here]:
            further = weighs + weight.get((here, near), 0)
            if not minimal:
                heappush(queue, (0, further, near))
            elif hops[near] == entry[0] + 1:
                heappush(queue, (hops[near], further, near))
    return found


def _growth(task: Task, said: Growth) -> Found:
    if not task.collective.broadcast or said.origin not in task.collective.senders:
        return 0, "it is about a sender of a broadcast"
    hops = task.hops(said.origin)
    informed = growth(task, said.origin, [hops[v] for v in range(task.topology.nodes)])
    whole = needed(task, said.origin)
    wrong = None if said.informed == informed else f"at most {informed} are informed"
    return len(informed) - 1, wrong or _differs((said.needed, whole))


def _farthest(task: Task, said: Farthest) -> Found:
    if not task.hop_by_hop:
        return 0, "only store and forward on direct networks takes a step a hop"
    if (said.source, said.destination) not in task.collective.pairs:
        return 0, "there is no such message"
    hops = task.hops(said.source)[said.destination]
    return hops, _differs((said.hops, hops))


def _start(task: Task, said: Start) -> Found:
    if not task.collective.broadcast or task.shares:
        return 0, "it is about broadcasts whose copies share no channel"
    topology, rules, side = task.topology, task.rules, set(said.side)
    channels = {(a, b) for a, b in topology.channels if a not in side and b in side}
    inside = [r for r in task.collective.receivers if r in side]
    messages = sum(1 for _, target in task.collective.pairs if target in side)
    each = sum(rules.at_most(len(topology.sources[r])) for r in inside)
    own = 0
    for sender in set(task.collective.senders) & side:
        out = len(topology.successors[sender])
        own += out if rules.single_use else rules.at_most(out)
    first = min(each, len(channels) + own)
    wrong = _differs((said.messages, messages), (said.first, first), (said.each, each))
    if channels != set(said.channels):
        wrong = "these are not the channels into the set"
    return 1 + _over(max(0, messages - first), each), wrong


def _relays(task: Task, said: Relays) -> Found:
    if not task.collective.broadcast or not task.hop_by_hop:
        return 0, "it is about broadcasts hop by hop"
    topology, side, messages = task.topology, set(said.side), 0
    for hops, target in _hops_of_pairs(task):
        far = hops[target] + task.extra
        messages += all(v in side for v in topology.sources[target] if hops[v] < far)
    each = sum(_sent(task, node) for node in side)
    return _over(messages, each), _differs((said.messages, messages), (said.each, each))


def _sent(task: Task, node: int) -> int:
    """Return how many nodes one node can send to in a step, hop by hop."""
    channels = len(task.topology.successors[node])
    return channels if task.rules.single_use else task.rules.at_most(channels)


def _hops_of_pairs(task: Task) -> Iterator[tuple[dict[int, int], int]]:
    """Yield, for each pair, the distances from its source, and its target."""
    known: dict[int, dict[int, int]] = {}
    for source, target in task.collective.pairs:
        if source not in known:
            known[source] = task.hops(source)
        yield known[source], target


def _over(amount: int, a_step: int) -> int:
    """Return the steps that an amount takes; none if nothing limits it."""
    return -(-amount // a_step) if a_step else 0


def _differs(*pairs: tuple[int, int]) -> str | None:
    for said, counted in pairs:
        if said != counted:
            return f"it counts {said} where there are {counted}"
    return None
