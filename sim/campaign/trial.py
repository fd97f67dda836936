"""Drawing trials: each depends on the seed and its own number alone."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.engine.memory import Message, Route
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.place import form_of
from syncfabric.models.layout.engine import EPOCH_BITS
from syncfabric.models.layout.engine import Kind as MessageKind
from syncfabric.models.layout.words import COUNTER_ADDRESS, EngineWord
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.campaign.request import STREAM_KINDS, Kind
from syncfabric.sim.drive.recovery.scenario import RecoveryScenario, dead_links, plan_after

EPOCHS = 1 << EPOCH_BITS
EPOCH = 1
"""Of all entries: each has been set up once."""


class Injector:
    """Draws messages with the right check bits, and a random tag.

    Parameters
    ----------
    network : MessageSpec
        With ``check_bits``.
    groups : sequence of GroupPlan
        They synchronize.
    """

    def __init__(self, network: MessageSpec, groups: Sequence[GroupPlan]) -> None:
        router = network.shape.router
        self._form = form_of(router)
        self._network, self._groups, self._layout = network, groups, router.layout

    def unknown(self, rng: random.Random, router: int) -> int:
        """Return a message of an entry that no group has at a router, or of another epoch."""
        known = {group.placement.get(router) for group in self._groups}
        entry = rng.randrange(self._layout.entries)
        epochs = [e for e in range(EPOCHS) if entry not in known or e != EPOCH]
        return self._mask(rng, router, entry, rng.choice(epochs), rng.choice(list(MessageKind)))

    def spoofed(self, rng: random.Random, router: int) -> int | None:
        """Return a message with entry and epoch of a group; None if the router has none."""
        entries = [g.placement[router] for g in self._groups if router in g.placement]
        if not entries:
            return None
        return self._mask(rng, router, rng.choice(entries), EPOCH, rng.choice(list(MessageKind)))

    def spurious(self, rng: random.Random, router: int, port: int) -> int | None:
        """Return one of a group, of a kind that its entry never uses by a port; None if all are."""
        found: list[tuple[int, MessageKind]] = []
        for group in self._groups:
            if router not in group.placement:
                continue
            tree, entry = group.tree, group.placement[router]
            position = tree.position[router]
            if port == tree.parent_port[position]:
                continue
            is_child = int(tree.child_mask[position]) >> port & 1
            kinds = [MessageKind.BROKEN] if is_child else list(MessageKind)
            found += [(entry, kind) for kind in kinds]
        if not found:
            return None
        entry, kind = rng.choice(found)
        return self._mask(rng, router, entry, EPOCH, kind)

    def _mask(
        self, rng: random.Random, router: int, entry: int, epoch: int, kind: MessageKind
    ) -> int:
        """Return the forward wires, as of ``Fault.mask``."""
        data = rng.getrandbits(self._layout.data_bits) if self._layout.data_bits else 0
        tag = rng.getrandbits(self._layout.key_bits) if self._layout.key_bits else 0
        route = None
        if self._layout.routed:
            grid = self._network.shape.router.grid
            assert grid
            route = Route(grid.place(router), rng.randrange(self._layout.lanes))
        wires = self._form.pack(None, Sent(Message(entry, epoch, kind, data, tag), route))
        mask = at = 0
        for name, width in self._form.order:
            mask |= getattr(wires, name) << at
            at += width
        return mask


JITTERS = (0, 3, 15)
"""Cycles that members linger at most, in a trial."""
EPISODES = 3
"""Barriers of each group while the fault is to happen."""
PLACES = 1 << 16
BUSY = 0.25
"""Share of trials in which packets are in flight, if the network has any."""
RENEWAL = 600
"""Cycles, more or less, that it takes to kill a group and to set it up."""
WITHIN = 3
"""Wires that may be flipped within the checks' distance; of barrier wires one (X4)."""
ON_SLOTS = 0.75
"""Share of the flips that hit barrier wires; all do where nothing else is checked."""
STREAM_SPAN = 150
"""Cycles in which faults of streams happen."""
STUCK = 64
"""Cycles for which a wire is stuck, at most."""
TRIES = 100
ON_BUSY = 0.75
"""Share of the flips that hit a link that carries something; the others hit any."""


@dataclass(frozen=True)
class Trial:
    """A fault, and what goes on meanwhile.

    Parameters
    ----------
    faults : tuple of Fault
        Their cycles count from the trial's first one; while a group is renewed from its KILL.
    seed, jitter : int
        Of the members' arrivals.
    busy : bool
        Packets are in flight.
    at : int
        Cycles until it happens, at least.
    roams : bool
        It goes to the first link, and cycle, where there is something that it changes.
    gid : int
        The group that it is about, if its kind is about one.
    node : int
        The member's node that arrives no more, number of the manager, or entry that is written.
    write : (int, int)
        The word of that entry, and what is written; see `EngineGroups.write`.
    after : BarrierPlan, optional
        Around what dies.
    """

    number: int
    kind: Kind
    faults: tuple[Fault, ...]
    seed: int
    jitter: int
    busy: bool
    at: int
    roams: bool = True
    gid: int = -1
    node: int = -1
    write: tuple[int, int] = (0, 0)
    after: BarrierPlan | None = None


class Draw:
    """Draws trials on a network.

    Parameters
    ----------
    kinds : sequence of Kind
        They take turns.
    """

    def __init__(self, plan: BarrierPlan, kinds: Sequence[Kind], seed: int) -> None:
        self._plan, self._kinds, self._seed = plan, kinds, seed
        network = self._network = plan.spec.network
        self._packets, self._managers = network.channels > 0, len(network.manager_nodes)
        self._injector = None
        if network.guarded:
            self._injector = Injector(plan.spec.message_network, plan.engine_groups)
        links, wires = links_of(network), link_wires(network)
        local = {*links.eject, *links.inject} if network.topology.graph.own else set()
        self._inward = [n for n, end in enumerate(links.ends) if end and n not in local]
        self._links = [n for n, name in enumerate(links.names) if name and n not in local]
        there = {wire: wires[wire] for wire in wires if wire not in (*wires.back, "flush")}
        self._slots = sum(there.pop(wire, 0) for wire in ("slots_valid", "slots"))
        self._streams = sum(there[wire] for wire in there if wire.startswith("stream"))
        among = ("stream_valid", "stream_rest") if "stream" not in there else ()
        self._streams += there["flit"] if links.streams and among else 0
        for wire in [w for w in there if w.startswith("stream") and w not in among]:
            del there[wire]
        self._streams_back = wires.get("stream_freed", links.streams)
        self._lanes = sum(there.values())
        self._credits = links.channels + links.setup + (links.classes if links.credited else 0)
        self._of_renewal = [Kind.FLIP, Kind.DROP, Kind.CREDIT]
        self._of_renewal += STREAM_KINDS if links.streams else ()
        longest = max(group.bound or 0 for group in plan.groups)
        self.span = (EPISODES - 1) * (longest + max(JITTERS))
        """Cycles in which faults happen."""
        self._after: dict[str, BarrierPlan | None] = {}

    def trial(self, number: int) -> Trial:
        """Return a trial by its number."""
        rng = random.Random(f"{self._seed}/{number}")
        kind = self._kinds[number % len(self._kinds)]
        jitter, at = rng.choice(JITTERS), rng.randint(1, self.span)
        busy = self._packets and kind is not Kind.DEAD and rng.random() < BUSY
        base = Trial(number, kind, (), rng.randrange(1, 1 << 32), jitter, busy, at)
        if kind is Kind.DEAD:
            after = self._death(rng)
            links = dead_links(self._network, after.without)
            faults = [Fault(at, link, FaultKind.DEAD) for link in links]
            return replace(base, faults=tuple(faults), after=after)
        if kind in (Kind.ABSENT, Kind.SETUP):
            group = rng.choice(self._plan.groups)
            nodes = [self._network.topology.index(node) for node in group.members]
            place = rng.choice(nodes if kind is Kind.ABSENT else range(self._managers))
            at = rng.randint(1, self.span // 4)  # before its last barrier
            return replace(base, at=at, busy=False, gid=group.id, node=place)
        if kind is Kind.WRITE:
            word = rng.choice((0, 0, rng.randrange(EngineWord.IMAGE, COUNTER_ADDRESS)))
            data = rng.getrandbits(32 if word else 4)
            gid, at = rng.choice(self._plan.groups).id, rng.randint(1, self.span // 4)
            place = rng.randrange(PLACES)
            return replace(base, at=at, busy=False, gid=gid, node=place, write=(word, data))
        if self._injector and kind in (Kind.INJECTED, Kind.SPURIOUS, Kind.SPOOFED):
            fault = self._of_no_sender(self._injector, kind, at, rng)
            return replace(base, faults=(fault,), roams=False)
        if kind is Kind.RENEW:
            gid = rng.choice(self._plan.groups).id
            kind, at = rng.choice(self._of_renewal), rng.randrange(RENEWAL)
            roams = kind is not Kind.STREAM_STUCK
            drawn = self._faults(kind, at, rng)
            return replace(base, faults=drawn, busy=False, roams=roams, gid=gid)
        if kind in STREAM_KINDS:
            at = rng.randint(1, STREAM_SPAN)
        roams = kind not in (Kind.FLIP, Kind.FLIPS, Kind.STREAM_FLIP) or rng.random() < ON_BUSY
        roams &= kind is not Kind.STREAM_STUCK
        return replace(base, faults=self._faults(kind, at, rng), roams=roams)

    def _faults(self, kind: Kind, at: int, rng: random.Random) -> tuple[Fault, ...]:
        return (
            self._of_streams(kind, at, rng)
            if kind in STREAM_KINDS
            else (self._fault(kind, at, rng),)
        )

    def _of_streams(self, kind: Kind, at: int, rng: random.Random) -> tuple[Fault, ...]:
        """Draw a fault of streams' wires: those that go forward are the lowest."""
        link, forward, back = rng.choice(self._links), self._streams, self._streams_back
        every, change = range(forward), FaultKind.STREAM_FLIP
        if kind is Kind.STREAM_CREDIT:
            every = range(forward, forward + back)
        some = rng.sample(every, min(rng.randint(1, WITHIN), len(every)))
        if kind is Kind.STREAM_DROP or (kind is Kind.STREAM_CREDIT and rng.random() < 1 / 2):
            some, change = list(every), FaultKind.STREAM_LOW
        cycles = 1
        if kind is Kind.STREAM_STUCK:
            some, cycles = [rng.randrange(forward + back)], rng.randint(2, STUCK)
            change = rng.choice((FaultKind.STREAM_LOW, FaultKind.STREAM_HIGH))
        mask = sum(1 << bit for bit in some)
        return tuple(Fault(at + i, link, change, mask) for i in range(cycles))

    def _fault(self, kind: Kind, at: int, rng: random.Random) -> Fault:
        link = rng.choice(self._links)
        if kind is Kind.DROP:
            return Fault(at, link, FaultKind.DROP)
        if kind is Kind.CREDIT:
            return Fault(at, link, FaultKind.CREDIT, (1 << self._credits) - 1)
        bits, most = range(self._lanes), WITHIN
        if self._slots and (self._injector is None or rng.random() < ON_SLOTS):
            bits, most = range(self._lanes, self._lanes + self._slots), 1
        count = rng.randint(1, most) if kind is Kind.FLIP else rng.randint(most + 1, 2 * most + 2)
        flipped = rng.sample(bits, min(count, len(bits)))
        return Fault(at, link, FaultKind.FLIP, sum(1 << bit for bit in flipped))

    def _of_no_sender(self, injector: Injector, kind: Kind, at: int, rng: random.Random) -> Fault:
        """Draw a message that no engine has sent, on a link that leads to a router."""
        ends, mask = links_of(self._network).ends, None
        while mask is None:
            link = rng.choice(self._inward)
            end = ends[link]
            assert end
            if kind is Kind.SPURIOUS:
                mask = injector.spurious(rng, *end)
            else:
                mask = (injector.spoofed if kind is Kind.SPOOFED else injector.unknown)(rng, end[0])
        return Fault(at, link, FaultKind.INJECTED, mask)

    def _death(self, rng: random.Random) -> BarrierPlan:
        """Draw what dies, so that all groups have a route around it."""
        for _ in range(TRIES):
            name = self._name(rng)
            if name not in self._after:
                self._after[name] = self._around(name)
            after = self._after[name]
            if after is not None:
                return after
        raise PlanError(
            f"{self._plan.spec.name}: whatever dies, some group has no route around it; leave the "
            "kind dead out"
        )

    def _around(self, name: str) -> BarrierPlan | None:
        dead = Dead.of(self._network.topology, [name])
        try:
            if self._plan.static_groups:
                after = plan_after(self._plan, RecoveryScenario(dead=dead))
            else:
                after = make_plan(self._plan.spec, dead)
        except PlanError:
            return None
        whole = len(after.groups) == len(self._plan.groups)
        return after if whole and all(len(group.members) > 1 for group in after.groups) else None

    def _name(self, rng: random.Random) -> str:
        network, links = self._network, links_of(self._network)
        whole = rng.random() < 1 / 4
        if isinstance(network.topology, Irregular):
            if whole:
                return str(rng.randrange(network.topology.switches))
            (s, p), (t, q) = rng.choice(network.topology.links)
            return f"{s},{p}-{t},{q}"
        if whole:
            return "{},{}".format(*rng.choice(list(network.topology.nodes)))
        number = rng.choice(self._links)
        (name, end) = links.names[number], links.ends[number]
        assert name
        assert end
        assert isinstance(name[0], tuple)
        return "{},{}-{},{}".format(*name[0], *network.topology.node(end[0]))
