"""Functional coverage: what the runs of a bench have met, of all that they could.

Everything is read off the wires, the releases and the answers of the config port.
"""

from abc import ABC, abstractmethod
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Sequence

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, Code, Kind
from syncfabric.models.layout.setup import (
    COMMAND,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    Answer,
    ManagerState,
    Operation,
)
from syncfabric.models.layout.words import (
    ADDRESS_BITS,
    EngineWord,
    ManagerWord,
    RouterWord,
    Target,
    config_address,
)
from syncfabric.models.messages.registers import COUNTER_BASE, Counter
from syncfabric.models.messages.static import LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.static_routes import role_of
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import CreditLedger, LaneMasks
from syncfabric.sim.drive.log import EngineMessages
from syncfabric.sim.drive.scenario import Outcome
from syncfabric.sim.drive.static.checks import FlowCheck
from syncfabric.sim.drive.static.operations import network_of
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.drive.trace import (
    Act,
    Arrival,
    BrokenRelease,
    Chunk,
    Commanded,
    Joined,
    Line,
    Rule,
    bits,
)
from syncfabric.sim.results import Mismatch


class Coverage(Rule, ABC):
    """Counts what a run meets of its network's bins.

    Parameters
    ----------
    plan : BarrierPlan

    Attributes
    ----------
    hits : Counter of str
        By bin.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        self.hits: Tally[str] = Tally()
        self._plan, self._registers = plan, plan.spec.network.port_registers
        self._arrivals: set[tuple[int, int]] = set()  # cycle and bit of a release
        self._places = {
            (number, member): place
            for number, group in enumerate(plan.groups)
            for member, place in enumerate(plan.endpoints(group))
        }
        self._chunk = Chunk(0)

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk's arrivals and requests in, before its lines."""
        self._chunk = chunk
        for act in chunk.acts:
            # Numbers above are of groups that come and go.
            if isinstance(act, Arrival) and act.group < len(self._plan.groups):
                node, register = self._places[act.group, act.member]
                self._arrivals.add((act.cycle, node * self._registers + register))

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Take a line in, after the ledger of its credits."""
        if line.answer is not None and line.cycle in self._chunk.answered:
            self._answered(self._chunk.answered[line.cycle], *line.answer)
        for bit in bits(line.record.release):
            self.hits["arrival in the cycle of the release"] += (line.cycle, bit) in self._arrivals
        self._wires(line)
        return ()

    def report(self, outcome: Outcome) -> None:
        """Add the hits of all bins, where hardware and model agree."""
        outcome.coverage = {} if outcome.mismatches else dict(self.hits)

    def _answered(self, request: ConfigRequest, refused: int, data: int) -> None:
        """Count an answer of the config port."""
        what = f"{'write' if request.write else 'read'}{self._word(request)}"
        self.hits[f"config: {what} {'refused' if refused else 'ok'}"] += 1

    @abstractmethod
    def _word(self, request: ConfigRequest) -> str:
        """Return the word that a request is for, after a space."""

    @abstractmethod
    def _wires(self, line: Line) -> None:
        """Count what is met by this kind of network alone."""


class EngineCoverage(Coverage):
    """Coverage of a network of engines.

    Parameters
    ----------
    plan : BarrierPlan
    ledger : CreditLedger
        Of its links.
    """

    def __init__(self, plan: BarrierPlan, ledger: CreditLedger) -> None:
        super().__init__(plan)
        network = plan.spec.message_network
        self._ledger, self._links, self._masks = ledger, links_of(network), LaneMasks(network)
        self._shared, self._layout = network.shape.router.shared, network.layout.sync
        self._read, self._tail = EngineMessages(plan).read, 1 << network.layout.flit.offsets["tail"]
        offsets = network.layout.flit.offsets
        self._cut = 1 << offsets["cut"] if "cut" in offsets else 0
        self._counts = {
            word.place: word.kind for word in counters_of(network) if word.kind is not None
        }
        self._open = 0  # lanes in the middle of a packet
        self._set_up = _SetUp(network)
        self._waits: dict[tuple[int, int], int] = {}  # the group, by node and register

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk's arrivals, requests and faults in, before its lines."""
        super().begin(chunk)
        for fault in chunk.faults:
            self.hits[f"fault: {fault.kind.name}"] += 1

    def act(self, act: Act) -> Sequence[Mismatch]:
        """Take in which members wait, and which a KILL releases."""
        if isinstance(act, Joined):
            self._places[act.number, act.member] = act.node, act.register
        elif isinstance(act, Arrival):
            self._waits[self._places[act.group, act.member]] = act.group
        elif isinstance(act, Commanded) and act.operation is Operation.KILL:
            some = act.number in self._waits.values()
            self.hits[f"KILL: {'a' if some else 'no'} member waits"] += 1
        elif isinstance(act, BrokenRelease):
            self.hits["released broken"] += 1
        return ()

    def _wires(self, line: Line) -> None:
        for bit in bits(line.record.release):
            self._waits.pop(divmod(bit, self._registers), None)
        for _, guard in line.record.guards:
            self.hits["guard: probe"] += guard.probe > 0
            self.hits["guard: answer to a probe"] += guard.empty > 0
        released = Tally(bit // self._registers for bit in bits(line.record.release))
        if max(released.values(), default=0) > 1:
            self.hits["two registers of a node released in one cycle"] += 1
        if line.record.valid:
            self._on_links(line)
        if self._ledger.full & self._masks.ordinary:
            self.hits["packets' lane without a credit"] += 1
        if self._ledger.full & self._masks.inject:
            self.hits["node's link without a credit"] += 1

    def _on_links(self, line: Line) -> None:
        links, together, slots = self._links, Tally[int](), Tally[int]()
        valid, packets = line.record.valid, links.channels + links.setup
        for lane, payload in zip(bits(valid), line.record.payloads, strict=True):
            link, channel = divmod(lane, links.width)
            others = ((1 << links.channels) - 1) << link * links.width
            if channel < packets:
                if channel == links.channels and (what := self._set_up.read(link, payload)):
                    self.hits[what] += 1
                self.hits["guard: cut packet"] += payload & self._cut > 0
                self._open = self._open & ~(1 << lane) | (not payload & self._tail) << lane
            elif channel < packets + links.classes:
                if (self._open if self._shared else valid) & others:
                    where = "inside a packet" if self._shared else "beside a flit"
                    self.hits[f"message {where}"] += 1
                self._message(link, channel - packets, payload)
                if (end := links.ends[link]) is not None:
                    together[end[0]] += 1
            else:
                self.hits["slot: message"] += 1
                slots[link] += 1
        for count in together.values():
            if count > 1:
                self.hits[f"{count} messages to a router in one cycle"] += 1
        if max(slots.values(), default=0) > 1:
            self.hits["slots: two of a link in one cycle"] += 1

    def _message(self, link: int, of_class: int, payload: int) -> None:
        kind = Kind(self._layout.unpack(payload & (1 << self._layout.width) - 1)["kind"])
        _, up = self._read(link, of_class, payload)
        kind_name = kind.name if kind in (Kind.GO, Kind.BROKEN) else "up" if up else "down"
        self.hits[f"{kind_name} of class {of_class}"] += 1

    def _answered(self, request: ConfigRequest, refused: int, data: int) -> None:
        super()._answered(request, refused, data)
        if refused:
            return
        if request.address == config_address(ManagerWord.STATUS) and not request.write:
            state = ManagerState(MANAGER_STATUS.unpack(data)["state"])
            self.hits[f"manager: {state.name}"] += 1
        if request.address >> ADDRESS_BITS == Target.ROUTER:
            word = request.address & (1 << ADDRESS_BITS) - 1
            if word == RouterWord.FENCE and request.write:
                self.hits[f"guard: fence {'closed' if request.data else 'opened'}"] += 1
            elif word in (RouterWord.CORRUPT, RouterWord.LOST) and data:
                self.hits[f"counted: {RouterWord(word).name}"] += 1
        kind = self._counts.get((request.node, request.address))
        if data and not request.write and kind is not None:
            self.hits[f"counted: {Counter(kind).name}"] += 1

    def _word(self, request: ConfigRequest) -> str:
        if request.write and request.address == config_address(ManagerWord.COMMAND):
            return f" {Operation(COMMAND.unpack(request.data)['operation']).name} to a manager"
        if not request.write or request.address != EngineWord.COMMIT:
            return ""
        return f" {Code(COMMIT.unpack(request.data)['code']).name}"


class _SetUp:
    """Reads set-up packets off their channel, whose second flit says what they are.

    Parameters
    ----------
    network : MessageSpec
    """

    def __init__(self, network: MessageSpec) -> None:
        offsets = network.layout.flit.offsets
        self._head, self._payload = 1 << offsets["head"], (1 << offsets["head"]) - 1
        self._reply = network.managed and 1 << network.shape.header.offsets["reply"]
        self._second: dict[int, bool] = {}  # links whose next flit is it: of a reply

    def read(self, link: int, flit: int) -> str | None:
        """Take a flit of a link; return what packet it is, at its second flit."""
        if flit & self._head:
            self._second[link] = bool(flit & self._reply)
            return None
        is_reply, word = self._second.pop(link, None), flit & self._payload
        if is_reply is None:
            return None
        if is_reply:
            return f"reply: {Answer(REPLY.unpack(word & (1 << REPLY.width) - 1)['code']).name}"
        operation = REQUEST.unpack(word & (1 << REQUEST.width) - 1)["operation"]
        return f"request: {Operation(operation).name}"


PORTS = len(Port)
LONE = "an input feeds one output"
BUFFERS = ("switch", "core", "injection")


class StaticCoverage(Coverage):
    """Coverage of a static network.

    Parameters
    ----------
    plan : BarrierPlan
    flow : FlowCheck
        The ledger of its links.
    """

    def __init__(self, plan: BarrierPlan, flow: FlowCheck) -> None:
        super().__init__(plan)
        network, groups = network_of(plan), plan.groups
        self._flow, self._network = flow, network
        graph, links = network.graph, links_of(network)
        self._nodes, self._injections = len(graph.nodes), links.inject[0]
        self._cores, self._ports = {*links.eject}, graph.ports
        self._role: dict[int, Role] = {}
        self._fed: list[tuple[int, tuple[int, ...]]] = []
        """Of every input that feeds any: the link into it, and those that it leads on by."""
        self._group: dict[int, int] = {}
        """By link between switches, and into cores: its group."""
        self._passing: dict[int, str] = {}
        """Links that leave switches of nonmembers: what passes."""

        def number_of(end: tuple[int, int]) -> int:
            return graph.ports * end[0] + end[1]

        for number, group in enumerate(groups):
            here = {graph.port_of(node)[0] for node in group.members}
            nodes = map(network.topology.index, group.members)
            roles = (role_of(group, node) for node in group.members)
            self._role |= dict(zip(nodes, roles, strict=True))
            fed: defaultdict[int, list[int]] = defaultdict(list)
            for (switch, port), source in group.routes().items():
                link = number_of((switch, port))
                before, sender = graph.across(switch, source), graph.node_at(switch, source)
                into = links.inject[sender] if sender is not None else -1
                fed[into if before is None else number_of(before)].append(link)
                self._group[link] = number
                if switch not in here:
                    self._passing[link] = "ring" if group.flits is None else "tree"
            self._fed += [(into, tuple(links)) for into, links in fed.items()]
        self._pairs = [(number_of(a), number_of(b)) for a, b in graph.links]

    def _wires(self, line: Line) -> None:
        for _, value in line.observed or ():
            fields = self._network.observe.unpack(value)
            for counter in Counter:
                self.hits[f"counted: {counter.name}"] += fields[counter.name] > 0
        for node in bits(line.record.release):
            self.hits[f"released: {self._role.get(node, Role.NONE).name}"] += 1
        if line.record.valid:
            self._on_links(line.record.valid)

    def _on_links(self, valid: int) -> None:
        hits, full, held = self.hits, self._flow.full, self._flow.held
        for into, links in self._fed:
            moved = sum(valid >> link & 1 for link in links)
            if moved == len(links):
                hits[LONE if moved == 1 else f"an input feeds {moved} outputs"] += 1
            elif held >> into & 1:
                blocked = sum(full >> link & 1 for link in links)
                hits["one of several outputs without a credit"] += 0 < blocked < len(links)
        switches: defaultdict[int, set[int]] = defaultdict(set)
        for link in bits(valid):
            if full >> link & 1:
                buffer = "core" if link in self._cores else "switch"
                hits[f"full: {'injection' if link >= self._injections else buffer} buffer"] += 1
            if link in self._group:
                switches[link // self._ports].add(self._group[link])
            if link in self._passing:
                hits[f"passing a nonmember: {self._passing[link]}"] += 1
        if any(len(groups) > 1 for groups in switches.values()):
            hits["two groups in a switch in one cycle"] += 1
        if any(valid >> there & valid >> back & 1 for there, back in self._pairs):
            hits["both ways between two switches in one cycle"] += 1

    def _word(self, request: ConfigRequest) -> str:
        address = request.address
        words = StaticWord if request.node < self._nodes else LoaderWord
        if address < len(words):
            return f" {words(address).name}"
        counter = COUNTER_BASE <= address < COUNTER_BASE + len(Counter)
        return " counter" if request.node < self._nodes and counter else " nowhere"
