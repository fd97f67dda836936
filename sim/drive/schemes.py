"""Schemes of synchronization by software's packets, episode by episode, and what each takes."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.networks.mesh import Mesh, Node, hops
from syncfabric.models.planning.set_up import Epochs, go_writes
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.driver import Program
from syncfabric.sim.drive.engine_driver import EngineDriver
from syncfabric.sim.drive.packets import Packet
from syncfabric.sim.drive.scenario import Outcome, SchemeOutcome
from syncfabric.sim.drive.trace import MemberStep, StepKind


class Scheme(Program):
    """One group's members meet, and nothing else is in the network.

    A member arrives in the cycle in which its node's software does the first thing for it, and is
    released in the first cycle in which it could go on. With policy ``together`` all arrive in one
    cycle; else all but one do, and that one, in its turn, when everything is quiet again.

    Parameters
    ----------
    driver : EngineDriver
        With one group of two members or more, in registers or entries.

    Attributes
    ----------
    measured : SchemeOutcome
        Of the episodes so far.
    left_out : int
        Cycles of an episode that are not the scheme's.

    Raises
    ------
    ValueError
        It has other groups.
    """

    ejects = True
    left_out = 0

    def __init__(self, driver: EngineDriver) -> None:
        plans, network = driver.plan.groups, driver.plan.spec.message_network
        plan = plans[0] if len(plans) == 1 else None
        if plan is None or plan.bound is None:
            raise ValueError("a scheme is for one group, in registers everywhere")
        index = network.topology.index
        self.driver, self.plan, self.network = driver, plan, network
        self.nodes = [index(node) for node in plan.members]
        self.measured = SchemeOutcome()
        self._wishes: list[int] = []
        self._late: list[int] = []
        self._begun = False
        self._last_arrival = 0
        self._released: dict[int, int] = {}
        links = links_of(network)
        own = (1 << links.width) - 1
        self._own = sum(own << link * links.width for link in {*links.eject, *links.inject})

    @property
    def finished(self) -> bool:
        """Whether no episode is in progress."""
        return not self._begun

    def next_cycle(self, now: int) -> int | None:
        """Return ``now`` while an episode is prepared or in progress."""
        return now if self._begun or self._wishes else None

    def report(self, outcome: Outcome) -> None:
        """Add what the episodes took."""
        outcome.scheme = self.measured

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Keep a member's wish to arrive until all have it."""
        self._wishes.append(member)
        return True

    def note(self, record: Record) -> None:
        """Count the links that are traversed."""
        if self._begun:
            own = (record.valid & self._own).bit_count()
            self.measured.beside[-1] += own
            self.measured.between[-1] += record.valid.bit_count() - own

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Begin an episode, go on with it, or end it."""
        for packet in packets:
            self._receive(now, packet)
        if self._begun:
            self._look(now)
        if not self._is_quiet():
            return
        if not self._begun and len(self._wishes) == len(self.nodes):
            self._begin(now)
        elif self._late:
            self._arrives(now, self._late.pop())
        elif len(self._released) == len(self.nodes):
            self._begun = False
            took = max(self._released.values()) - self._last_arrival
            self.measured.cycles.append(took - self.left_out)
            self._released = {}
            self._reset(now)

    def _is_quiet(self) -> bool:
        model, port = self.driver.model, self.driver.port
        return port.is_idle and model.is_empty() and model.idle_until() is None

    def _begin(self, now: int) -> None:
        self._begun = True
        self.measured.between.append(0)
        self.measured.beside.append(0)
        self._wishes, order = [], self._wishes
        self._late = [] if self.driver.scenario.policy == "together" else [order.pop()]
        for member in order:
            self._arrives(now, member)

    def _arrives(self, now: int, member: int) -> None:
        self._last_arrival = now
        self._enter(now, member)

    def _release(self, now: int, member: int) -> None:
        """Note that a member can go on in this cycle."""
        self._released.setdefault(member, now)

    @abstractmethod
    def _enter(self, now: int, member: int) -> None:
        """Let a member arrive."""

    @abstractmethod
    def _reset(self, now: int) -> None:
        """Make ready for the next episode, all members having been released."""

    def _receive(self, now: int, packet: Packet) -> None:
        """Take in a packet that has come out in the cycle before."""

    def _look(self, now: int) -> None:
        """See what the network shows, in every cycle of an episode."""


class Btin(Scheme):
    """Members arrive at their registers, and switches merge and replicate."""

    def __init__(self, driver: EngineDriver) -> None:
        super().__init__(driver)
        self._entering: set[int] = set()

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Let a member arrive whose turn it is; keep the wish of another."""
        if member in self._entering:
            self._entering.remove(member)
            return False
        return super().arrive(now, number, member)

    def _enter(self, now: int, member: int) -> None:
        self._entering.add(member)
        self.driver.schedule(now, 0, member)

    def _look(self, now: int) -> None:
        group = self.driver.groups[0]
        for member, (arrived, released) in enumerate(
            zip(group.arrived, group.released, strict=True)
        ):
            if arrived == released == len(self.measured.between):
                self._release(now, member)

    def _reset(self, now: int) -> None:
        """Do nothing: the registers have notified the group."""


class ByPackets(Scheme):
    """Members send messages of one flit, and say what they do: see `CauseCheck`.

    Raises
    ------
    ValueError
        A flit is too narrow for what a message carries.
    """

    def __init__(self, driver: EngineDriver) -> None:
        super().__init__(driver)
        self._layout, shape = self.network.layout.header, self.network.shape
        if shape.router.routing == "source":
            raise ValueError('members send without routes: routing = "table"')
        self._headers = [shape.header_of(shape.nodes[node]) for node in self.nodes]
        self._member_at = {node: member for member, node in enumerate(self.nodes)}
        needed = self._layout.width + self._largest.bit_length()
        if needed > min(32, self.network.flit_bits):
            raise ValueError(f"a message of one flit needs {needed} bits, flit_bits and 32 at most")

    @property
    def _largest(self) -> int:
        """The largest number that a message carries: at first, a member's."""
        return len(self.nodes) - 1

    def _send(self, sender: int, receiver: int, number: int) -> None:
        """Have a member send a message with a number, in the bits that are the sender's."""
        message = self._headers[receiver] | number << self._layout.width
        self.driver.sender.send(self.nodes[sender], [message])

    def _number(self, message: int) -> int:
        """Return a message's number."""
        return message >> self._layout.width

    def _enter(self, now: int, member: int) -> None:
        self.driver.groups[0].took(now, member)
        self._note_step(now, member, StepKind.ARRIVE)

    def _release(self, now: int, member: int) -> None:
        self._note_step(now, member, StepKind.RELEASE)
        super()._release(now, member)

    def _note_step(self, now: int, member: int, kind: StepKind) -> None:
        self.driver.acts.append(MemberStep(now, member, kind))

    def _reset(self, now: int) -> None:
        for member in range(len(self.nodes)):
            self.driver.groups[0].release(now, member)


class Gathering(ByPackets):
    """Members send a message of one flit each to the root node, whose software counts them.

    Raises
    ------
    ValueError
        The group's root is no member.
    """

    def __init__(self, driver: EngineDriver) -> None:
        super().__init__(driver)
        if self.plan.root not in self.plan.members:
            raise ValueError("packets gather at a root that is a member; set another planner")
        self.root = self.plan.members.index(self.plan.root)
        self._arrived: set[int] = set()

    def _enter(self, now: int, member: int) -> None:
        super()._enter(now, member)
        if member == self.root:
            self._is_in(now, member)
        else:
            self._send(member, self.root, member)

    def _receive(self, now: int, packet: Packet) -> None:
        member = self._number(packet.payloads[0])
        if packet.node == self.nodes[self.root]:
            self._is_in(now, member)
        else:
            self._release(now, member)

    def _is_in(self, now: int, member: int) -> None:
        self._arrived.add(member)
        if len(self._arrived) == len(self.nodes):
            self._arrived.clear()
            self._distribute(now)

    def _distribute(self, now: int) -> None:
        """Notify all members, now that all are in."""


class Unicast(Gathering):
    """The root node's software sends a message to each of the others, in the members' order."""

    def _distribute(self, now: int) -> None:
        self._release(now, self.root)
        for member in range(len(self.nodes)):
            if member != self.root:
                self._send(self.root, member, member)


class Multicast(Gathering):
    """The root's engine receives GO, which goes down the barrier's own tree.

    A member is released when its register is ready. GO comes once in a group instance, so there is
    one episode. The root's software writes its own router. So the cycles are left out in which the
    request passes the config nodes before that one.

    Raises
    ------
    ValueError
        There are more episodes than one.
    """

    def __init__(self, driver: EngineDriver) -> None:
        super().__init__(driver)
        if driver.scenario.episodes > 1:
            raise ValueError("a group receives GO once: episodes = 1")
        (group,), epochs = driver.plan.engine_groups, Epochs()
        epochs.set_up(group)
        (go,) = go_writes([group], self.network.shape, epochs)
        self._command = ConfigRequest(go.target, go.address, True, go.word)
        self.left_out = go.target
        self._notified = False

    def _distribute(self, now: int) -> None:
        self._notified = True
        self._note_step(now, self.root, StepKind.NOTIFY)
        self.driver.port.ask(self._command)

    def _look(self, now: int) -> None:
        if not self._notified:
            return
        for member, (node, register) in enumerate(self.driver.groups[0].places):
            ready = register is not None and self.driver.model.ready(node, register)
            if ready and member not in self._released:
                self._release(now, member)


def release_cycles(root: Node, member: Node) -> int:
    """Return what the static network takes from the root's word to a member's core, in cycles.

    A multicast down a tree of shortest paths in an idle network: the link into the root's switch, a
    cycle each hop between switches, and the link out of the member's. The root needs none.
    """
    return 1 + hops(root, member) + 1 if root != member else 0


class UdnStn(Gathering):
    """The gathering is measured in this network; the release is as long as `release_cycles` says.

    Raises
    ------
    ValueError
        The network is no mesh.
    """

    def __init__(self, driver: EngineDriver) -> None:
        super().__init__(driver)
        if not isinstance(self.network.topology, Mesh):
            raise ValueError('a static network has the switches of a mesh: kind = "mesh"')
        self._due: dict[int, int] = {}
        """Members still to be released, and when."""

    def _distribute(self, now: int) -> None:
        self._note_step(now, self.root, StepKind.NOTIFY)
        root = self.plan.members[self.root]
        for member, node in enumerate(self.plan.members):
            self._due[member] = now + release_cycles(root, node)
        self._look(now)

    def _look(self, now: int) -> None:
        for member in [member for member, cycle in self._due.items() if cycle <= now]:
            self._release(self._due.pop(member), member)


class Dissemination(ByPackets):
    """In round k member i signals member (i + 2^k) mod P, and awaits a signal; ceil(log2 P) rounds.

    A signal carries round and group. Signals of a round are counted, for one of the next episode
    may come before a member has got through this one.
    """

    def __init__(self, driver: EngineDriver) -> None:
        super().__init__(driver)
        self._rounds = (len(self.nodes) - 1).bit_length()
        self._round: dict[int, int] = {}
        """Of members that have arrived and are not through: the round they are in."""
        self._came: Counter[tuple[int, int]] = Counter()

    @property
    def _largest(self) -> int:
        """The largest round and group."""
        return 0xFF << self._round_bits | (1 << self._round_bits) - 1

    @property
    def _round_bits(self) -> int:
        """Bits of a round's number."""
        return (len(self.nodes) - 1).bit_length().bit_length()

    def _enter(self, now: int, member: int) -> None:
        super()._enter(now, member)
        self._round[member] = 0
        self._signal(member)
        self._go_on(now, member)

    def _signal(self, member: int) -> None:
        """Send a member's signal of its round."""
        number = self._round[member]
        receiver = (member + (1 << number)) % len(self.nodes)
        self._send(member, receiver, self.plan.id << self._round_bits | number)

    def _receive(self, now: int, packet: Packet) -> None:
        group, number = divmod(self._number(packet.payloads[0]), 1 << self._round_bits)
        if group == self.plan.id:
            member = self._member_at[packet.node]
            self._came[member, number] += 1
            self._go_on(now, member)

    def _go_on(self, now: int, member: int) -> None:
        """Pass the rounds whose signal has come."""
        while member in self._round and self._came[member, self._round[member]]:
            self._came[member, self._round[member]] -= 1
            self._round[member] += 1
            if self._round[member] == self._rounds:
                del self._round[member]
                self._release(now, member)
            else:
                self._signal(member)


SCHEMES: dict[str, Callable[[EngineDriver], Scheme]] = {
    "btin": Btin,
    "dissemination": Dissemination,
    "multicast": Multicast,
    "udn/stn": UdnStn,
    "unicast": Unicast,
}
"""Every scheme, by its name in a scenario."""
