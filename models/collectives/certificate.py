"""Lower bounds, why they hold, and whether they do: the arguments as data, counted anew.

A bound is verified by its argument alone, with none of the searches that find bounds. What each
argument proves stands at its class, and in docs/schedules.md.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from heapq import heappop, heappush
from itertools import accumulate
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from syncfabric.models.collectives.schedule import Task
from syncfabric.models.errors import SpecError

__all__ = [
    "Argument",
    "Bound",
    "Cut",
    "Distance",
    "Farthest",
    "Growth",
    "Load",
    "Paper",
    "PortCount",
    "Relays",
    "Solver",
    "Start",
    "best",
    "copies",
    "growth",
    "needed",
    "verify",
]

Side = tuple[int, ...]
Channels = tuple[tuple[int, int], ...]

Proof = tuple[int, str | None]
"""The bound that is proved, and what the argument counts wrong."""

_VERTICES = ("node", "side", "origin", "source", "destination")
"""What fields are called that hold a vertex, or some."""


@dataclass(frozen=True)
class _Argument:
    """Why there are not fewer steps."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    @property
    def vertices(self) -> Side:
        """The vertices that it is about."""
        said = [getattr(self, name, ()) for name in _VERTICES]
        return tuple(v for one in said for v in (one if isinstance(one, tuple) else (one,)))

    def words(self) -> str:
        """Say it in one line."""
        raise NotImplementedError

    def _proof(self, task: Task) -> Proof:
        """Count anew, for a task that is not to be turned round."""
        raise NotImplementedError


@dataclass(frozen=True)
class PortCount(_Argument):
    """A node must inject (``out``) or eject (``in``) so many messages, so many a step."""

    node: int
    way: Literal["in", "out"]
    messages: int
    ports: int
    kind: Literal["ports"] = "ports"

    def words(self) -> str:
        """Say it in one line."""
        verb = "eject" if self.way == "in" else "inject"
        return f"node {self.node} must {verb} {self.messages} messages, {self.ports} a step"

    def _proof(self, task: Task) -> Proof:
        topology = task.topology
        if self.way == "out" and task.collective.broadcast:
            return 0, "a node need not inject what others can pass on"
        near = topology.sources if self.way == "in" else topology.successors
        end = 1 if self.way == "in" else 0
        messages = sum(1 for pair in task.collective.pairs if pair[end] == self.node)
        ports = task.rules.at_most(len(near[self.node]))
        return _over(messages, ports), _differs((self.messages, messages), (self.ports, ports))


@dataclass(frozen=True)
class Cut(_Argument):
    """So many messages must leave a set of vertices, by these channels, one each a step."""

    side: Side
    channels: Channels
    messages: int
    exact: bool
    """Whether all cuts between routers were tried, not only likely ones."""
    kind: Literal["cut"] = "cut"

    def words(self) -> str:
        """Say it in one line."""
        found = "best of all cuts" if self.exact else "best cut found"
        return (
            f"{self.messages} messages must leave {len(self.side)} vertices "
            f"by {len(self.channels)} channels ({found})"
        )

    def _proof(self, task: Task) -> Proof:
        side = set(self.side)
        channels = {(a, b) for a, b in task.topology.channels if a in side and b not in side}
        leaving = (
            pair for pair in task.collective.pairs if pair[0] in side and pair[1] not in side
        )
        if task.collective.broadcast:
            messages = len({origin for origin, _ in leaving})
        else:
            messages = sum(1 for _ in leaving)
        wrong = _differs((self.messages, messages))
        if channels != set(self.channels):
            wrong = "these are not the channels out of the set"
        return _over(messages, len(channels)), wrong


@dataclass(frozen=True)
class Distance(_Argument):
    """The least hops of all messages together, and how many a step can be made."""

    hops: int
    capacity: int
    kind: Literal["distance"] = "distance"

    def words(self) -> str:
        """Say it in one line."""
        return f"the messages take {self.hops} hops together, {self.capacity} a step at most"

    def _proof(self, task: Task) -> Proof:
        if task.collective.broadcast:
            return 0, "a broadcast need not go the whole way for each receiver"
        total = sum(hops[target] for hops, target in _hops_of_pairs(task))
        capacity = len(task.topology.channels)
        if task.hop_by_hop:
            capacity = sum(task.rules.at_most(len(out)) for out in task.topology.successors)
        return _over(total, capacity), _differs((self.hops, total), (self.capacity, capacity))


@dataclass(frozen=True)
class Load(_Argument):
    """A distance sum with weights: every path of a message weighs at least so much.

    In a step the paths weigh no more than all channels together.
    """

    weights: tuple[tuple[int, int, int], ...]
    """Channels and their weights, as [from, to, weight]; others weigh nothing."""
    total: int
    """Sum over all messages of the weight of the lightest path that it may take."""
    minimal: bool
    """Whether only shortest paths were weighed."""
    kind: Literal["load"] = "load"

    def words(self) -> str:
        """Say it in one line."""
        whole = sum(weight for *_, weight in self.weights)
        paths = "shortest paths" if self.minimal else "paths"
        return (
            f"on {len(self.weights)} channels the {paths} of the messages weigh {self.total} "
            f"at least, {whole} a step at most"
        )

    def _proof(self, task: Task) -> Proof:
        if task.collective.broadcast:
            return 0, "a broadcast need not go the whole way for each receiver"
        if self.minimal and not task.minimal:
            return 0, "it is about shortest paths, but longer ones may be taken"
        weight = {(a, b): w for a, b, w in self.weights}
        if min(weight.values(), default=0) < 0 or not weight.keys() <= task.topology.number.keys():
            return 0, "a weight is negative, or of no channel"
        lightest = cache(lambda source: _lightest(task, source, weight, self.minimal))
        total = sum(lightest(source)[target] for source, target in task.collective.pairs)
        return _over(total, sum(weight.values())), _differs((self.total, total))


@dataclass(frozen=True)
class Growth(_Argument):
    """From one origin no more than so many nodes can be informed after 0, 1, … steps."""

    origin: int
    informed: tuple[int, ...]
    needed: int
    """Nodes that are to be informed in the end, the origin included."""
    kind: Literal["growth"] = "growth"

    def words(self) -> str:
        """Say it in one line."""
        reached = ", ".join(map(str, self.informed))
        return f"from node {self.origin} at most {reached} nodes of {self.needed} are informed"

    def _proof(self, task: Task) -> Proof:
        if not task.collective.broadcast or self.origin not in task.collective.senders:
            return 0, "it is about a sender of a broadcast"
        hops = task.topology.hops(self.origin)
        informed = growth(task, self.origin, [hops[v] for v in range(task.topology.nodes)])
        whole = needed(task, self.origin)
        wrong = None if self.informed == informed else f"at most {informed} are informed"
        return len(informed) - 1, wrong or _differs((self.needed, whole))


@dataclass(frozen=True)
class Farthest(_Argument):
    """A message must make so many hops, one a step."""

    source: int
    destination: int
    hops: int
    kind: Literal["farthest"] = "farthest"

    def words(self) -> str:
        """Say it in one line."""
        return f"from node {self.source} to node {self.destination} it is {self.hops} hops"

    def _proof(self, task: Task) -> Proof:
        if not task.hop_by_hop:
            return 0, "only store and forward on direct networks takes a step a hop"
        if (self.source, self.destination) not in task.collective.pairs:
            return 0, "there is no such message"
        hops = task.topology.hops(self.source)[self.destination]
        return hops, _differs((self.hops, hops))


@dataclass(frozen=True)
class Start(_Argument):
    """The receivers inside a set of vertices cannot all be served from the first step on.

    In the first step only the origins have anything to send.
    """

    side: Side
    channels: Channels
    """Those into the set."""
    messages: int
    """What the receivers inside must get together."""
    first: int
    """What they can get at most in the first step."""
    each: int
    """What they can get at most in each other."""
    kind: Literal["start"] = "start"

    def words(self) -> str:
        """Say it in one line."""
        return (
            f"receivers behind {len(self.channels)} channels must get {self.messages} messages: "
            f"at most {self.first} in step 1, {self.each} in each other"
        )

    def _proof(self, task: Task) -> Proof:
        if not task.collective.broadcast or task.shares:
            return 0, "it is about broadcasts whose copies share no channel"
        topology, rules, side = task.topology, task.rules, set(self.side)
        channels = {(a, b) for a, b in topology.channels if a not in side and b in side}
        inside = [r for r in task.collective.receivers if r in side]
        messages = sum(1 for _, target in task.collective.pairs if target in side)
        each = sum(rules.at_most(len(topology.sources[r])) for r in inside)
        senders = set(task.collective.senders) & side
        own = sum(rules.copies(len(topology.successors[sender])) for sender in senders)
        first = min(each, len(channels) + own)
        wrong = _differs((self.messages, messages), (self.first, first), (self.each, each))
        if channels != set(self.channels):
            wrong = "these are not the channels into the set"
        return 1 + _over(max(0, messages - first), each), wrong


@dataclass(frozen=True)
class Relays(_Argument):
    """So many transfers of a broadcast, hop by hop, can only be made by a set of nodes.

    They are those of an origin to a receiver to which the way leads, for the last hop, through a
    node of the set, whichever way the message takes.
    """

    side: Side
    messages: int
    each: int
    """What the nodes of the set can send together in a step."""
    kind: Literal["relays"] = "relays"

    def words(self) -> str:
        """Say it in one line."""
        return (
            f"{self.messages} messages must have their last hop from one of {len(self.side)} "
            f"nodes, which send {self.each} a step together"
        )

    def _proof(self, task: Task) -> Proof:
        if not task.collective.broadcast or not task.hop_by_hop:
            return 0, "it is about broadcasts hop by hop"
        topology, side, messages = task.topology, set(self.side), 0
        for hops, target in _hops_of_pairs(task):
            far = hops[target] + task.extra
            messages += all(v in side for v in topology.sources[target] if hops[v] < far)
        each = sum(task.rules.copies(len(topology.successors[node])) for node in side)
        return _over(messages, each), _differs((self.messages, messages), (self.each, each))


@dataclass(frozen=True)
class Paper(_Argument):
    """What Table 1 of paper EVO says; it proves nothing."""

    formula: str
    kind: Literal["paper"] = "paper"

    def words(self) -> str:
        """Say it in one line."""
        return f"paper's Table 1: {self.formula}"

    def _proof(self, task: Task) -> Proof:
        return 0, "a formula of the paper proves nothing"


@dataclass(frozen=True)
class Solver(_Argument):
    """A solver found that one step fewer is infeasible; ``check`` cannot tell without it."""

    solver: str
    """Name and version."""
    proof: str
    """Where its log is, or what it said."""
    kind: Literal["solver"] = "solver"

    def words(self) -> str:
        """Say it in one line."""
        return f"{self.solver}: infeasible with one step fewer ({self.proof})"

    def _proof(self, task: Task) -> Proof:
        return 0, "a solver's proof cannot be checked without the solver"


Argument = PortCount | Cut | Distance | Load | Growth | Farthest | Start | Relays | Paper | Solver


@dataclass(frozen=True)
class Bound:
    """A number of steps that every schedule takes at least, and why.

    The arguments of AOG, AOR and AAR are about their time reversal, with every channel turned
    round.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    value: int
    argument: Argument

    @property
    def proves(self) -> bool:
        """Whether ``verify`` can tell if it holds."""
        return not isinstance(self.argument, Paper | Solver)

    def to_json(self) -> dict[str, Any]:
        """Return the bound as a schedule file holds it."""
        return {"value": self.value, "argument": asdict(self.argument)}

    @classmethod
    def from_json(cls, values: Any) -> Bound:
        """Return the bound that ``to_json`` wrote.

        Raises
        ------
        SpecError
            The values have not its shape.
        """
        try:
            return _adapter().validate_python(values)
        except ValidationError as error:
            raise SpecError(f"certificate: {error.errors()[0]['msg']}") from None


def best(bounds: list[Bound]) -> Bound | None:
    """Return the greatest of the bounds that prove something."""
    return max((bound for bound in bounds if bound.proves), key=lambda b: b.value, default=None)


@cache
def _adapter() -> TypeAdapter[Bound]:
    return TypeAdapter(Bound)


def needed(task: Task, origin: int) -> int:
    """Return the nodes that are to be informed of what an origin sends, itself included."""
    return len({origin, *task.collective.receivers})


def growth(task: Task, origin: int, hops: Sequence[int]) -> tuple[int, ...]:
    """Return how many nodes can be informed at most after 0, 1, … steps.

    The nodes that can send the most are taken to be informed first, wherever they are. With
    store and forward on direct networks nobody is informed who is further off than the steps.

    Parameters
    ----------
    task : Task
        A broadcast.
    origin : int
        One of its senders.
    hops : sequence of int
        The distance to each node.
    """
    nodes = range(task.topology.nodes)
    own = copies(task, origin)
    others = sorted((copies(task, v) for v in nodes if v != origin), reverse=True)
    sent = [0, *accumulate(others)]
    far = sorted(hops)
    informed = [1]
    while informed[-1] < needed(task, origin):
        now = informed[-1]
        after = min(len(nodes), now + own + sent[now - 1])
        if task.hop_by_hop:
            after = min(after, bisect_right(far, len(informed)))
        informed.append(after)
    return tuple(informed)


def copies(task: Task, node: int) -> int:
    """Return how many copies of one message a node can send in a step."""
    topology, rules = task.topology, task.rules
    out = len(topology.successors[node])
    if not rules.single_use:
        return rules.at_most(out)
    if topology.routers[node]:
        return topology.nodes if task.shares and rules.stores else out
    if rules.stores:
        return topology.nodes
    # Its router copies; none goes back to it.
    return len(topology.successors[topology.successors[node][0]]) - 1


def verify(task: Task, bound: Bound) -> str | None:
    """Return what is wrong with a bound's argument, or None if it proves the bound.

    Parameters
    ----------
    task : Task
        What the bound is about.
    bound : Bound
    """
    forward = task.forward()
    for vertex in bound.argument.vertices:
        if not 0 <= vertex < forward.topology.vertices:
            return f"{vertex} is not in the topology"
    proved, counted = bound.argument._proof(forward)
    if counted is not None:
        return counted
    return None if proved >= bound.value else f"it proves {proved}, not {bound.value}"


def _lightest(
    task: Task, source: int, weight: dict[tuple[int, int], int], minimal: bool
) -> dict[int, int]:
    """Return the weight of the lightest path to each vertex."""
    topology, hops = task.topology, task.topology.hops(source)
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


def _hops_of_pairs(task: Task) -> Iterator[tuple[dict[int, int], int]]:
    """Yield, for each pair, the distances from its source, and its target."""
    hops = cache(task.topology.hops)
    yield from ((hops(source), target) for source, target in task.collective.pairs)


def _over(amount: int, a_step: int) -> int:
    """Return the steps that an amount takes; none if nothing limits it."""
    return -(-amount // a_step) if a_step else 0


def _differs(*pairs: tuple[int, int]) -> str | None:
    for said, counted in pairs:
        if said != counted:
            return f"it counts {said} where there are {counted}"
    return None
