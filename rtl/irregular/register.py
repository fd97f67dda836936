"""One barrier register of k ports: who has arrived, and what is still to be sent."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, MOST_PORTS, Kind, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.combine import combine_bitwise, combine_two, identity
from syncfabric.rtl.guard.watchdog import RegisterWatchdog
from syncfabric.rtl.irregular.image import RegisterImage, read_word, writable
from syncfabric.rtl.irregular.ports import NODE_PORTS, SenderSignature, observed_bits
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.setup.life import RegisterLife

__all__ = ["TreeRegister"]


class TreeRegister(wiring.Component):
    """Merges the messages of its children, passes them on, and replicates the answer.

    Changes show in the next cycle. In a node interface (``node``) port 1 is the node's own
    process: its arrive is a message that needs no sending, its release one that never waits.

    Source: paper BTIN, Figs. 4 and 5 and Table 1; cycles as in docs/microarchitecture.md, I4, I5
    and, with set-up by managers, S1.

    Parameters
    ----------
    network : IrregularSpec
        Layouts and options.
    node : bool
        The register is a node interface's, of two ports, and not a switch's.

    Members
    -------
    match : In(links)
        The message presented at this port is for this register.
    message_0 .. : In(sync message)
        The presented messages, by port.
    countable, used : Out(links)
        Messages that are a new child's arrival, and those that were used in this cycle.
    chosen : In(links)
        Only in a switch with ``operations = "all"``: the arrival that is combined in this cycle.
    open : Out(1), gid : Out(8), epoch : Out(2)
        Messages with this GID and epoch match, if the register is valid.
    send : Out(SenderSignature)
        What is to be sent.
    write : In, write_data : In(32), write_refused : Out(1)
        Writes of the words that can be written.
    word : In(3), read_data : Out(32)
        Config reading: word number and contents.
    observe : Out
        State, for benches.
    freed, clear_freed, manager
        Only with set-up by managers: the last barrier is over; its manager has been told.
    started, arrive, data, released, result, ready, done, refused
        Only in a node interface: the node port, and an arrive that was ignored.
    last
        Only there, with set-up by managers: this barrier is the last.
    broken
        Only there, with managers or a watchdog: the group is broken.
    tick, trips
        Only there, with a watchdog: its time is over once more; the process has waited too long.
    """

    def __init__(self, network: IrregularSpec, *, node: bool) -> None:
        self._network, self._node = network, node
        self._ports = NODE_PORTS if node else network.ports
        self._links = 1 if node else network.ports
        self._serial = network.operations == "all" and not node
        self._managed = network.managed
        self._watched = network.watched and node
        bits, links = network.data_bits, self._links
        members: dict[str, Any] = {
            "match": In(links),
            "countable": Out(links),
            "used": Out(links),
            "open": Out(1),
            "gid": Out(8),
            "epoch": Out(2),
            "send": Out(SenderSignature(network, links)),
            "write": In(len(writable(network))),
            "write_data": In(32),
            "write_refused": Out(1),
            "word": In(3),
            "read_data": Out(32),
            "observe": Out(observed_bits(network, self._ports, node=node)),
        }
        for p in range(links):
            members[f"message_{p}"] = In(struct(network.layout.sync))
        if self._serial:
            members["chosen"] = In(links)
        if node:
            members |= {
                "started": In(1),
                "arrive": In(1),
                "data": In(bits),
                "released": Out(1),
                "result": Out(bits),
                "ready": Out(1),
                "done": Out(1),
                "refused": Out(1),
            }
        if self._managed:
            members |= {"freed": Out(1), "manager": Out(2), "clear_freed": In(1)}
            if node:
                members["last"] = In(1)
        if node and (network.managed or network.watched):
            members["broken"] = Out(1)
        if self._watched:
            members |= {"tick": In(1), "trips": Out(1)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, ports, links = self._network.data_bits, self._ports, self._links
        messages = [getattr(self, f"message_{p}") for p in range(links)]
        arrived, fired, up = Signal(ports), Signal(), Signal()
        pending = Signal(links)
        acc, result = Signal(bits), Signal(bits)
        m.submodules.image = image = RegisterImage(self._network, ports)
        control, children = image.control, image.children
        to_children, to_parent = children[:links], image.towards_parent[:links]
        life = RegisterLife() if self._managed else None
        dying: Value = Const(0, 1)
        tripped: Value = Const(0, 1)
        if life:
            m.submodules.life = life
            dying = life.dying
        watchdog = RegisterWatchdog() if self._watched else None
        if watchdog:
            m.submodules.watchdog = watchdog
            tripped = watchdog.tripped
            m.d.comb += image.tripped.eq(tripped)
        match = self.match
        if life and not self._node and self._network.cycles_per_hop == 2:
            # What was matched a cycle ago comes too late for a register that is free since.
            gone = Signal()
            m.d.sync += gone.eq(life.ends)
            match = Signal(links)
            m.d.comb += match.eq(Mux(gone, 0, self.match))
        m.d.comb += [
            image.write.eq(self.write),
            image.data.eq(self.write_data),
            image.busy.eq(arrived.any() | fired | up | pending.any() | dying),
            # Who may match is not made to wait for the write: the write gives way.
            image.disturbed.eq(match.any() | (self.arrive if self._node else 0)),
            self.write_refused.eq(image.refused),
            self.open.eq(control.valid),
            self.gid.eq(control.gid),
            self.epoch.eq(control.epoch),
        ]

        # What the messages for this register do. All that does not depend on them comes first.
        deaf, free, awaits = Signal(), Signal(links), Signal()
        m.d.comb += [
            deaf.eq(image.rewritten | dying | tripped),
            free.eq(Mux(deaf, 0, to_children & ~arrived[:links] & ~pending)),
            awaits.eq(fired & ~up & ~control.root & ~deaf),
        ]
        countable, used, down, waves = (Signal(links) for _ in range(4))
        for p, message in enumerate(messages):
            reduce = message.kind == Kind.REDUCE
            if life:  # once GO has been, its number means LAST
                reduce = reduce | ((message.kind == Kind.GO) & life.go)
            m.d.comb += [
                countable[p].eq(match[p] & reduce & free[p]),
                down[p].eq(match[p] & (message.kind == Kind.DISTRIBUTE) & (to_parent[p] & awaits)),
            ]
        m.d.comb += [
            used.eq(countable & self.chosen if self._serial else countable),
            self.countable.eq(countable),
            self.used.eq(used | down | waves),
        ]
        words = [(used[p], message.data) for p, message in enumerate(messages)]
        came: Value = used
        arrives: Value = Const(0, 1)
        if self._node:
            arrives = self._arrive(m, image, life, arrived[-1] | fired, tripped)
            words.append((arrives, self.data))
            came = Cat(used, arrives)
        combined = Signal(bits)
        m.d.comb += combined.eq(self._combine(control.op, acc, words))

        # Fire, release, and what they leave to send.
        fire, release, fire_up = Signal(), Signal(), Signal()
        after, new_result = Signal(ports), Signal(bits)
        missing, willing = Signal(ports), Signal()
        down_words = [Mux(down[p], w.data, 0) for p, w in enumerate(messages)]
        m.d.comb += [
            after.eq(arrived | came),
            missing.eq(children & ~arrived & ~came),
            willing.eq(
                control.valid & ~fired & ~pending.any() & children.any() & ~dying & ~tripped
            ),
            fire.eq(willing & ~missing.any()),
            fire_up.eq(fire & ~control.root),
            release.eq(down.any() | (fire & control.root)),
            # Only who has fired is answered; `fired` is there before `down`.
            new_result.eq(Mux(fired, either(down_words), combined)),
        ]
        begins = Mux(release, to_children, 0)
        if life and not self._node:  # GO and BROKEN end at a node
            begins = Mux(release | life.begins, to_children, 0)
            beyond = Signal(links)
            if self._network.turnaround == "node":
                # The root switch has its root node where other switches have their parent.
                # What a message of this cycle has begun is no command's.
                by_go = life.command_go & ~life.message_go
                commanded = (by_go | life.command_kill) & ~life.message_broken
                m.d.comb += beyond.eq(Mux(commanded & life.begins & ~control.root, to_parent, 0))
            begins = begins | beyond
        sent_up = (self.send.sent & to_parent).any() & up
        m.d.sync += [
            pending.eq((pending & ~self.send.sent) | begins),
            up.eq((up & ~sent_up) | fire_up),
        ]
        with m.If(release):
            m.d.sync += [
                arrived.eq(0),
                fired.eq(0),
                acc.eq(identity(control.op, bits)),
                result.eq(new_result),
            ]
        with m.Else():
            m.d.sync += [arrived.eq(after), fired.eq(fired | fire_up), acc.eq(combined)]
        with m.If(image.written):
            written = struct(CONTROL)(self.write_data[: CONTROL.width])
            m.d.sync += acc.eq(identity(written.op, bits))
        ends: Value = release & children[-1]
        if watchdog:
            inside = arrived[-1] | (fired & children[-1])
            self._watch(m, watchdog, life, image, inside, release, arrives)
            ends = ends | watchdog.trips
            with m.If(watchdog.trips):
                m.d.sync += [pending.eq(0), up.eq(0)]
            with m.If(image.written):  # only one that has tripped is not at rest
                m.d.sync += [arrived.eq(0), fired.eq(0)]
        if life:
            self._live(m, life, image, messages, match, waves, used, arrives, tripped)
            m.d.comb += [
                life.release.eq(release),
                life.root_fires.eq(fire & control.root),
                life.has_arrived.eq((arrived[-1] | fired) & ~tripped if self._node else 0),
                life.quiet.eq(~pending.any()),
            ]
            with m.If(life.dies):
                m.d.sync += [
                    arrived.eq(0),
                    fired.eq(0),
                    up.eq(0),
                    pending.eq(0 if self._node else to_children | beyond),
                ]
            ends = ends | life.frees_member
        if self._node:
            m.d.comb += self.result.eq(result)
            m.d.sync += self.released.eq(ends)
            with m.If(ends):
                m.d.sync += self.done.eq(1)
            with m.Elif(arrives | image.written):
                m.d.sync += self.done.eq(0)

        m.d.comb += [
            self.send.children.eq(pending),
            self.send.parent.eq(Mux(up, to_parent, 0)),
            self.send.wave.eq(life.wave if life else Kind.DISTRIBUTE),
            self.send.up_kind.eq(life.up_kind if life else Kind.REDUCE),
            self.send.gid.eq(control.gid),
            self.send.epoch.eq(control.epoch),
            self.send.data.eq(Mux(up, acc, result)),
        ]
        flags = [life.go, life.last, life.dying, life.freed, life.broken] if life else []
        if watchdog:
            flags.append(tripped)
        waiting = Cat(pending, Const(0, ports - links), up)
        m.d.comb += self.observe.eq(Cat(arrived, fired, waiting, *flags, acc, result))
        unused = Const(0, MOST_PORTS - ports)
        m.d.comb += self.read_data.eq(
            read_word(
                self.word,
                (control.as_value(), image.parent, children),
                {
                    SwitchWord.ARRIVED: Cat(arrived, unused, fired, *flags),
                    SwitchWord.PENDING: Cat(pending, Const(0, MOST_PORTS - links), up),
                    SwitchWord.RESULT: result,
                },
            )
        )
        return m

    def _arrive(
        self,
        m: Module,
        image: RegisterImage,
        life: RegisterLife | None,
        inside: Value,
        tripped: Value,
    ) -> Value:
        """Judge the process's arrive; return whether it counts."""
        ready: Value = image.control.valid & self.started
        if life:
            # A group of one waits for nobody, and nobody says GO.
            alone = image.control.root & ~image.children[0]
            ready = image.control.valid & (life.go | alone) & ~life.dying
        arrives = Signal()
        m.d.comb += [
            self.ready.eq(ready & ~tripped),
            arrives.eq(self.arrive & self.ready & ~inside & image.children[-1]),
            self.refused.eq(self.arrive & ~arrives),
        ]
        return arrives

    def _live(
        self,
        m: Module,
        life: RegisterLife,
        image: RegisterImage,
        messages: list[Any],
        match: Value,
        waves: Signal,
        used: Value,
        arrives: Value,
        tripped: Value,
    ) -> None:
        """Let GO, BROKEN and commands change the register's life."""
        control = image.control
        goes, breaks = Signal(self._links), Signal(self._links)
        for p, message in enumerate(messages):
            # A node interface hears its switch whatever its place in the tree.
            expected = 1 if self._node else image.towards_parent[p] & ~control.root
            heard = match[p] & expected & ~image.rewritten & ~life.dying & ~tripped
            m.d.comb += [
                goes[p].eq(heard & (message.kind == Kind.GO) & ~life.go & ~image.busy),
                breaks[p].eq(heard & (message.kind == Kind.BROKEN)),
            ]
        plain = [used[p] & (message.kind == Kind.REDUCE) for p, message in enumerate(messages)]
        if self._node:
            plain.append(arrives & ~self.last)
            if not self._watched:
                m.d.comb += self.broken.eq(life.broken)
        m.d.comb += [
            waves.eq(goes | breaks),
            life.written.eq(image.written),
            life.command_go.eq(image.command_go),
            life.command_kill.eq(image.command_kill),
            life.message_go.eq(goes.any()),
            life.message_broken.eq(breaks.any()),
            life.plain.eq(Cat(plain).any()),
            life.arrives.eq(arrives),
            life.clear_freed.eq(self.clear_freed),
            image.clear.eq(life.ends),
            self.freed.eq(life.freed),
            self.manager.eq(control.manager),
        ]

    def _watch(
        self,
        m: Module,
        watchdog: RegisterWatchdog,
        life: RegisterLife | None,
        image: RegisterImage,
        waits: Value,
        release: Value,
        arrives: Value,
    ) -> None:
        """Let the watchdog see whether the process waits."""
        dies: Value = Const(0, 1)
        if life:
            dies = life.dies
            m.d.comb += life.trips.eq(watchdog.trips)
        m.d.comb += [
            watchdog.tick.eq(self.tick),
            watchdog.waits.eq(waits),
            watchdog.ends.eq(release | dies),
            watchdog.clear.eq(image.written | dies),
            watchdog.arrives.eq(arrives),
            watchdog.written.eq(image.written),
            self.trips.eq(watchdog.trips),
            self.broken.eq(life.broken if life else watchdog.broken),
        ]

    def _combine(self, op: Value, held: Value, words: list[tuple[Value, Value]]) -> Value:
        """Return ``held`` combined with every word whose enable is set."""
        if self._network.operations == "bitwise":
            return combine_bitwise(op, held, words)
        if self._serial:
            word = either([Mux(enable, word, 0) for enable, word in words])
            return Mux(Cat(enable for enable, _ in words).any(), combine_two(op, held, word), held)
        for enable, word in words:
            held = Mux(enable, combine_two(op, held, word), held)
        return held
