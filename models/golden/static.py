"""Cycle-exact model of a static network: switches in lock step, rings, trees and software.

Written from docs/microarchitecture-static.md. A buffer has the number of the link that leads to
it; only buffers and agents that may move are looked at.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.record import ConfigRequest, PortState, Record, Recorder
from syncfabric.models.golden.static_agent import Agent
from syncfabric.models.golden.static_switches import Loader, StaticWiring, Switches
from syncfabric.models.messages.registers import Counter
from syncfabric.models.messages.static import STATUS_WORD, Role
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.models.networks.spec import StaticSpec

Answer: TypeAlias = tuple[bool, bool, int]

SILENT: Answer = (False, False, 0)
NOTHING: Mapping[int, int] = {}
NO_ARRIVALS: Mapping[tuple[int, int], int] = {}
NO_HOLD: Mapping[int, bool] = {}


class StaticModel:
    """Cycle-exact model of a static network, stepped and looked at as a `GoldenModel` is.

    Parameters
    ----------
    network : StaticSpec

    Attributes
    ----------
    cycle : int
        Number of the cycle about to be stepped, 0 for the first after reset.
    release : list of (node, register, result)
        Releases that are high in this cycle, rising; there is one register and no result (0).
    config_answer : (bool, bool, int)
        ``config_ready``, ``config_error`` and ``config_rdata`` in this cycle.
    config_meaning : int
        The bits of ``config_rdata`` that have a meaning: all.
    dirty : set of int
        Nodes whose ``observe`` may have changed; the reader clears it.
    """

    config_meaning = (1 << 32) - 1

    def __init__(self, network: StaticSpec) -> None:
        self._wiring = wiring = StaticWiring(network)
        self._mask = (1 << network.flit_bits) - 1
        self.cycle = 0
        self.release: list[tuple[int, int, int]] = []
        self.config_answer: Answer = SILENT
        self.dirty: set[int] = set()
        self._recorder = Recorder(wiring.links, 1)
        self._acting: set[int] = set()  # nodes whose agent may act in the coming cycle
        self._switches = Switches(wiring, self.dirty, self._acting)
        self._buffers, self._credits = self._switches.buffers, self._switches.credits
        self._ports = list(zip(wiring.core, wiring.injection, strict=True))
        self._loader = Loader(wiring)
        self._flush: list[int] = []  # outputs to be flushed in the coming cycle
        self._watched = network.watchdog > 0
        self._agents = [Agent(network.core_buffer, network.watchdog) for _ in range(wiring.nodes)]
        self._due: dict[int, list[int]] = {}  # by cycle, nodes that may have waited for too long
        self._answers: dict[int, Answer] = {}
        offsets = network.observe.offsets
        self._state_at = offsets["left"]
        self._offsets = [at for at in offsets.values() if at < self._state_at]

    def step(
        self,
        *,
        arrive: Mapping[tuple[int, int], int] = NO_ARRIVALS,
        last: Collection[tuple[int, int]] = (),
        hold: Mapping[int, bool] = NO_HOLD,
        send: Mapping[int, int] = NOTHING,
        take: Collection[int] = (),
        config: ConfigRequest | None = None,
    ) -> Record | None:
        """Advance one clock with these inputs.

        Parameters
        ----------
        arrive : mapping of (node, register) to data
            The ``arrive`` bits that are high; register and data are 0.
        last : collection of (node, register)
            Has no effect: groups end when their routes go.
        hold : mapping of node to bool
            ``hold`` inputs that change in this cycle; they last.
        send : mapping of node to flit
            ``send_valid`` and ``send_flit`` where valid.
        take : collection of int
            Nodes whose ``recv_take`` is high.
        config : ConfigRequest, optional
            The request on the config port.

        Returns
        -------
        Record or None
            What is on the wires before the edge; None if that is nothing.
        """
        now = self.cycle
        self.cycle = now + 1
        for node, level in hold.items():
            self._agents[node].hold = level
            self._acting.add(node)
        record: Record | None = None
        if self._is_moving(now) or arrive or send or take or config is not None:
            record = self._step(now, arrive, send, take, config)
        self.config_answer = self._answers.pop(now + 1, SILENT)
        return record

    def _is_moving(self, now: int) -> bool:
        if self._switches.active or self._acting or self._flush or self.release:
            return True
        return self._loader.strobe == now or now in self._due

    def _step(
        self,
        now: int,
        arrive: Mapping[tuple[int, int], int],
        send: Mapping[int, int],
        take: Collection[int],
        config: ConfigRequest | None,
    ) -> Record | None:
        strobes = self._loader.strobe == now
        for node in self._due.pop(now, ()):
            if self._agents[node].waits and self._agents[node].due == now:
                self._count(node, Counter.STRAY)
        flushed = {node for link in self._flush if (node := self._wiring.node.get(link, -1)) >= 0}
        accepted = self._accepted(now, arrive, flushed) if arrive else set()
        write = None
        if config is not None:
            write = self._configure(now, config, flushed, accepted)
        for node, _ in arrive:
            if node not in accepted:
                self._count(node, Counter.REFUSED_ARRIVE)

        sent: dict[int, int] = {}
        moved = self._switches.move(sent)
        released = self._act(accepted, sent, moved)
        if take or send:
            self._use(take, send, sent, moved)
        record = self._record(sent, moved)

        self._switches.edge(sent, moved)
        if write is not None:
            write()
        if self._flush:
            self._clear(flushed)
            released = [node for node in released if node not in flushed]
        if strobes:
            self._switches.route(self._loader.selects())
            self._flush = self._loader.flushed()
        self.release = [(node, 0, 0) for node in sorted(released)]
        return record

    def _accepted(
        self, now: int, arrive: Mapping[tuple[int, int], int], flushed: Collection[int]
    ) -> set[int]:
        """Return the nodes whose arrive is accepted."""
        found = set()
        for node, _ in arrive:
            agent = self._agents[node]
            if agent.ready and not agent.waits and node not in flushed:
                found.add(node)
                if agent.timeout:
                    agent.due = now + agent.timeout
                    self._due.setdefault(agent.due, []).append(node)
        self._acting |= found
        return found

    def _configure(
        self,
        now: int,
        request: ConfigRequest,
        flushed: Collection[int],
        accepted: Collection[int],
    ) -> Callable[[], None] | None:
        """Obey the config port; return what is to be done at the edge."""
        node, write = request.node, None
        when = now + 1
        if node == self._wiring.nodes:
            when, refused, data = self._loader.configure(
                now, request.address, request.write, request.data
            )
        elif 0 <= node < self._wiring.nodes:
            self.dirty.add(node)
            here = {"arrives": node in accepted, "flushed": node in flushed}
            refused, data, write = self._agents[node].configure(
                request, **here, watched=self._watched
            )
        else:
            return None
        _, error, word = self._answers.get(when, SILENT)
        self._answers[when] = (True, refused or error, data | word)
        if write is None:
            return None

        def stir() -> None:
            write()
            self._acting.add(node)

        return stir

    def _act(self, accepted: set[int], sent: dict[int, int], moved: list[int]) -> list[int]:
        """Let the agents act; return the nodes whose process will be released."""
        released, active = [], set()
        buffers, credits, ports = self._buffers, self._credits, self._ports
        for node in self._acting:
            agent = self._agents[node]
            if agent.role is Role.NONE:
                continue
            core, injection = ports[node]
            arrives = node in accepted
            pop, send, release = agent.step(
                occupied=bool(buffers[core]), credit=credits[injection] > 0, arrive=arrives
            )
            if pop:
                moved.append(core)
            if send:
                sent[injection] = 0
            if release:
                released.append(node)
            if pop or send or arrives:
                active.add(node)
        self.dirty |= active
        self._acting.intersection_update(active)
        return released

    def _use(
        self,
        take: Collection[int],
        send: Mapping[int, int],
        sent: dict[int, int],
        moved: list[int],
    ) -> None:
        """Let software take and send flits, where the core ports are its own."""
        for node in take:
            if self._agents[node].role is Role.NONE:
                if self._buffers[self._wiring.core[node]]:
                    moved.append(self._wiring.core[node])
                else:
                    self._count(node, Counter.STRAY)
        for node, flit in send.items():
            if self._agents[node].role is Role.NONE:
                if self._credits[self._wiring.injection[node]]:
                    sent[self._wiring.injection[node]] = flit & self._mask
                else:
                    self._count(node, Counter.STRAY)

    def _clear(self, flushed: Collection[int]) -> None:
        """Empty the links of flushed outputs; those of CORE reset the agent, and its link."""
        wiring = self._wiring
        self._switches.clear([*self._flush, *map(wiring.injection.__getitem__, flushed)])
        for node in flushed:
            self._agents[node].reset()
        self._flush = []

    def _count(self, node: int, counter: Counter) -> None:
        self._agents[node].count(counter)
        self.dirty.add(node)

    def _record(self, sent: Mapping[int, int], moved: Collection[int]) -> Record | None:
        if not (sent or moved or self.release):
            return None
        joined = self._wiring.joined
        wires = {link: flit for link, flit in sent.items() if joined[link]}
        return self._recorder.record(wires, moved, self.release)

    def inject(self, faults: Iterable[Fault]) -> None:
        """Make links silent in both directions from the cycle about to be stepped on.

        Raises
        ------
        ValueError
            It is another kind of fault, or another cycle.
        """
        for fault in faults:
            if fault.kind is not FaultKind.DEAD or fault.cycle != self.cycle:
                raise ValueError(
                    f"{fault} is not modelled; links of a static network die in the next cycle, "
                    f"{self.cycle}"
                )
            self._switches.dead.add(fault.link)

    # What a bench looks at between steps.

    def changed_ports(self) -> Sequence[tuple[int, PortState]]:
        """Return nothing: what processes see besides ``release`` is in ``observe``."""
        return ()

    def observe(self, node: int) -> int:
        """Return a node's ``observe`` wires at the start of the cycle about to be stepped."""
        wiring, agent, buffers = self._wiring, self._agents[node], self._buffers
        word: int = agent.state << self._state_at
        inputs = wiring.inputs[node] if len(self._offsets) > 1 else ()
        for link, at in zip(inputs, self._offsets, strict=False):
            if link is not None:
                word |= len(buffers[link]) << at
        word |= len(buffers[wiring.core[node]]) << self._offsets[-1]
        at = self._state_at + STATUS_WORD.offsets["done"]
        for value in agent.counters:
            word |= value << at
            at += COUNTER_BITS
        return word

    def ready(self, node: int, register: int = 0) -> bool:
        """Return ``ready`` of a node in the cycle about to be stepped."""
        return self._agents[node].ready

    def broken(self, node: int, register: int = 0) -> bool:
        """Return whether the release of a node in this cycle is a broken one: it never is."""
        return False

    def done(self, node: int) -> bool:
        """Return ``done`` of a node in the cycle about to be stepped."""
        return self._agents[node].done

    def received(self, node: int) -> int | None:
        """Return ``recv_flit`` of a node in the cycle about to be stepped; None: not valid."""
        queue = self._buffers[self._wiring.core[node]]
        return queue[0] if queue and self._agents[node].role is Role.NONE else None

    def send_ready(self, node: int) -> bool:
        """Return ``send_ready`` of a node in the cycle about to be stepped."""
        free = self._credits[self._wiring.injection[node]] > 0
        return free and self._agents[node].role is Role.NONE

    def idle_until(self) -> int | None:
        """Return a cycle before which every ``step`` without inputs would do nothing.

        None if nothing will ever happen without inputs.
        """
        if self._is_moving(self.cycle) or self.config_answer[0]:
            return self.cycle
        strobe = self._loader.strobe
        ahead = [*self._answers, *self._due, *([strobe] if strobe is not None else [])]
        return min((cycle for cycle in ahead if cycle >= self.cycle), default=None)

    def skip(self, cycles: int) -> None:
        """Advance by cycles that ``idle_until`` said are idle."""
        self.cycle += cycles
        self.config_answer = self._answers.pop(self.cycle, SILENT)
