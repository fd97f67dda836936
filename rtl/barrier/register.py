"""One barrier register: its image, who has arrived, and what is still to be sent."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import (
    CONTROL,
    STATUS,
    TRIPPED,
    Command,
    Kind,
    RegisterWord,
)
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.combine import combine_bitwise, combine_two, identity
from syncfabric.rtl.barrier.ports import SenderSignature, child_class
from syncfabric.rtl.barrier.rules import is_complete
from syncfabric.rtl.guard.watchdog import RegisterWatchdog
from syncfabric.rtl.messages import node_word, parent_word, struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.setup.life import LIFE_BITS, RegisterLife

__all__ = ["BarrierRegister"]


class BarrierRegister(wiring.Component):
    """Register of Fig. 2 with the local arrival, an epoch, and a result of its own.

    Messages of a cycle are merged in that cycle; the release is high in the next. What is to be
    sent then shows in ``pending`` in the next cycle, or with ``barrier_pipeline`` 0 at once.

    Source: paper BTM, Fig. 2 and section 2.2; cycles as in docs/microarchitecture.md, section 4.

    Parameters
    ----------
    network : MeshSpec
        Layouts and options.

    Members
    -------
    started : In(1)
        Barriers may begin.
    here : In(4), class_0 .. class_3 : In(2), message_0 .. message_3 : In(sync message)
        Messages for this router by port, and their classes.
    countable, used : Out(4)
        Messages whose GID is this register's; those that are a new child's arrival; those that
        were used in this cycle.
    chosen : In(4), chosen_local : In(1)
        Only with ``operations = "all"``: the arrival that the node combines in this cycle.
    waiting : Out(1)
        The local arrival waits for the serial combiner.
    arrive, data, released, result, ready, done
        The node port.
    refused : Out(1)
        An arrive was ignored.
    send : Out(SenderSignature)
        What is to be sent, and the image.
    write : In(6 or 7), write_data : In(32), write_refused : Out(1)
        Writes of words 0 to 5, and with set-up by managers of word 6, a command.
    up_port : In(4)
        While word 0 is written: the one-hot port towards the parent.
    contents : Out
        The status word, for the config port and for benches.
    status, accumulated : Out
        State, for benches.
    last, freed, clear_freed, manager
        Only with set-up by managers: the arrive is for the last barrier; the last barrier is over,
        and its manager has been told.
    broken : Out(1)
        Only with managers or a watchdog: the group is broken.
    tick : In(1), trips : Out(1)
        Only with a watchdog: its time is over once more; the process has waited too long.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._network = network
        layout = network.layout
        self._serial = network.operations == "all"
        bits = network.data_bits
        members: dict[str, Any] = {
            "started": In(1),
            "here": In(4),
            "countable": Out(4),
            "used": Out(4),
            "waiting": Out(1),
            "arrive": In(1),
            "data": In(bits),
            "released": Out(1),
            "result": Out(bits),
            "ready": Out(1),
            "done": Out(1),
            "refused": Out(1),
            "send": Out(SenderSignature(network)),
            "write": In(6 + network.managed),
            "write_data": In(32),
            "write_refused": Out(1),
            "up_port": In(4),
            "status": Out(struct(STATUS)),
            "contents": Out(
                STATUS.width + LIFE_BITS * network.managed + TRIPPED.width * network.watched
            ),
            "accumulated": Out(bits),
        }
        for p in range(4):
            members |= {
                f"class_{p}": In(2),
                f"message_{p}": In(struct(layout.sync)),
            }
        if self._serial:
            members |= {"chosen": In(4), "chosen_local": In(1)}
        if network.managed or network.watched:
            members["broken"] = Out(1)
        if network.watched:
            members |= {"tick": In(1), "trips": Out(1)}
        if network.managed:
            members |= {
                "last": In(1),
                "freed": Out(1),
                "clear_freed": In(1),
                "manager": Out(2),
            }
        super().__init__(members)
        self._present, self._relay = Signal(4), Signal()

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, send, status = self._network, self.send, self.status
        control = send.control
        messages = [getattr(self, f"message_{p}") for p in range(4)]
        classes = [getattr(self, f"class_{p}") for p in range(4)]
        present = self._present
        life = RegisterLife() if network.managed else None
        watchdog = RegisterWatchdog() if network.watched else None
        deaf: Value = Const(0, 1)
        if life:
            m.submodules.life = life
            deaf = life.dying
        if watchdog:
            m.submodules.watchdog = watchdog
            deaf = deaf | watchdog.tripped
        relay = self._relay
        # A write of word 0 comes late. What would change the state of an idle register in its cycle
        # is undone, so that messages need not wait for it; but a relay's can fire at once.
        writing, valid = Signal(), Signal()
        m.d.comb += [
            writing.eq(self._writes(m, life, watchdog)),
            valid.eq(control.valid & ~writing & ~deaf),
        ]

        # Which messages are for this register, and what they do.
        known = [self.here[p] & control.valid & (messages[p].gid == control.gid) for p in range(4)]
        ours = [known[p] & (messages[p].epoch == control.epoch) & ~deaf for p in range(4)]
        kinds = [messages[p].kind == Kind.REDUCE for p in range(4)]
        if life:  # once GO has been, its number means LAST
            kinds = [kinds[p] | ((messages[p].kind == Kind.GO) & life.go) for p in range(4)]
        distributes = [messages[p].kind == Kind.DISTRIBUTE for p in range(4)]
        reduce, down, taken = Signal(4), Signal(4), Signal(4)
        self._judge(m, ours, kinds, distributes, reduce, down, taken)
        m.d.comb += self.countable.eq(Mux(writing, 0, reduce))
        used = Signal(4)
        # An answer is over with its release, whatever it leaves among the arrivals.
        m.d.comb += used.eq(self.countable & self.chosen if self._serial else taken)
        goes, breaks = Signal(4), Signal(4)
        for p in range(4):
            if life:
                # It comes back the way the REDUCE went, in the other class.
                expected = classes[p][1] ^ control.turn
                heard = ours[p] & ~writing & ~control.root & expected & send.up_port[p]
                m.d.comb += [
                    goes[p].eq(
                        heard
                        & (messages[p].kind == Kind.GO)
                        & ~life.go
                        & ~status.as_value().any()
                        & ~goes[:p].any()
                    ),
                    breaks[p].eq(heard & (messages[p].kind == Kind.BROKEN) & ~breaks[:p].any()),
                ]
        m.d.comb += self.used.eq(Mux(writing, 0, used | down | goes | breaks))

        # The local process.
        arrives = Signal()
        m.d.comb += [
            self.ready.eq(control.valid & ~relay & ~deaf & (life.go if life else self.started)),
            arrives.eq(self.arrive & valid & self.ready & ~status.local & ~status.waiting),
            self.refused.eq(self.arrive & ~arrives),
        ]
        local = status.local
        after, new_result = Signal(network.data_bits), Signal(network.data_bits)
        if self._serial:
            kept = Signal(network.data_bits)
            with m.If(arrives):
                m.d.sync += [status.waiting.eq(1), kept.eq(self.data)]
            with m.Elif(self.chosen_local):
                m.d.sync += status.waiting.eq(0)
            m.d.comb += self.waiting.eq(status.waiting & ~deaf)
            local = status.local | self.chosen_local
            word = Mux(self.chosen_local, kept, 0)
            for p in range(4):
                word = word | Mux(used[p], messages[p].data, 0)
            result = combine_two(control.op, self.accumulated, word[: network.data_bits])
            down_data = either([Mux(down[p], messages[p].data, 0) for p in range(4)])
            m.d.comb += [
                after.eq(Mux(used.any() | self.chosen_local, result, self.accumulated)),
                # Only who has fired is answered; `fired` is there before `fire`.
                new_result.eq(Mux(status.fired, down_data, after)),
            ]
        else:
            # Who has fired is only answered, and that alone is the result. An arrival of the node's
            # own meets neither that nor a fire.
            words = [(taken[p], messages[p].data) for p in range(4)]
            words.append((arrives, self.data))
            m.d.comb += [
                after.eq(combine_bitwise(control.op, self.accumulated, words, ~status.fired)),
                new_result.eq(after),
            ]

        # Fire, release, and what they leave to send.
        arrived = status.arrived | used
        complete = is_complete(arrived, present)
        fire, release, fire_up = Signal(), Signal(), Signal()
        ready = control.valid & ~deaf & ~status.fired
        ready = ready & Mux(relay, present.any() & ~writing, local)
        m.d.comb += [
            fire.eq(complete & ready),
            fire_up.eq(fire & ~control.root),
            release.eq(down.any() | (fire & control.root)),
        ]
        m.d.sync += self.released.eq(release & ~relay)
        with m.If(release):
            m.d.sync += [
                status.arrived.eq(0),
                status.local.eq(0),
                status.fired.eq(0),
                self.accumulated.eq(identity(control.op, network.data_bits)),
                self.result.eq(new_result),
                self.done.eq(~relay),
            ]
        with m.Else():
            m.d.sync += [
                status.arrived.eq(arrived),
                status.local.eq(local if self._serial else local | arrives),
                status.fired.eq(status.fired | fire_up),
            ]
            with m.If(~status.fired):
                m.d.sync += self.accumulated.eq(after)
            with m.If(arrives):
                m.d.sync += self.done.eq(0)
        if life:
            self._live(m, life, goes, breaks, used, arrives, release, fire)
            has_arrived = status.local | status.waiting
            m.d.comb += life.has_arrived.eq(
                has_arrived & ~watchdog.tripped if watchdog else has_arrived
            )
        new, to_send = Signal(5), Signal(5)
        m.d.comb += [
            new.eq(Cat(Mux(release, present, 0)[:4], fire_up)),
            to_send.eq(status.pending | new),
        ]
        if life:
            with m.If(life.message_broken):
                m.d.comb += to_send.eq(present)
            with m.Elif(life.message_go):
                m.d.comb += to_send.eq(status.pending | new | present)
        commanded: Value = Mux(life.command_go & ~life.go, present, 0) if life else Const(0, 4)
        m.d.sync += status.pending.eq((to_send & ~send.sent) | commanded)
        later: Value = to_send | commanded
        if watchdog:
            dies: Value = Const(0, 1)
            if life:
                dies = life.dies
                m.d.comb += life.trips.eq(watchdog.trips)
            m.d.comb += [
                watchdog.tick.eq(self.tick),
                watchdog.waits.eq(status.local | status.waiting),
                watchdog.ends.eq(release | dies),
                watchdog.clear.eq(writing | dies),
                watchdog.arrives.eq(arrives),
                watchdog.written.eq(writing),
                self.trips.eq(watchdog.trips),
            ]
            later = Mux(watchdog.trips, 0, later)
            with m.If(watchdog.trips):
                m.d.sync += [status.pending.eq(0), self.released.eq(1), self.done.eq(1)]
        m.d.comb += send.soon.eq((Mux(life.dies, present, later) if life else later).any())
        if network.barrier_pipeline:
            sending, up, result = status.pending, self.accumulated, self.result
        else:
            sending, result = to_send, Mux(release, new_result, self.result)
            up = Mux(status.fired, self.accumulated, after)
        m.d.comb += [
            send.pending.eq(sending),
            send.data.eq(Mux(sending[4], up, result)),
        ]
        if life:
            if network.barrier_pipeline:
                m.d.comb += [send.wave.eq(life.wave), send.up_kind.eq(life.up_kind)]
            else:
                m.d.comb += [send.wave.eq(life.wave_now), send.up_kind.eq(life.up_kind_now)]
            with m.If(life.dies):
                # Without the pipeline a BROKEN that has come is handed on in its own cycle.
                told = 0 if network.barrier_pipeline else Mux(life.message_broken, send.sent, 0)
                m.d.sync += [status.eq(0), status.pending.eq(present & ~told)]
            with m.If(life.frees_member):
                m.d.sync += [self.released.eq(1), self.done.eq(1)]
            with m.If(life.ends):
                m.d.sync += control.valid.eq(0)
        else:
            m.d.comb += [send.wave.eq(Kind.DISTRIBUTE), send.up_kind.eq(Kind.REDUCE)]
        shown: list[Any] = [status]
        if life:
            shown += [life.go, life.last, life.dying, life.freed, life.broken]
            m.d.comb += self.broken.eq(life.broken)
        elif watchdog:
            m.d.comb += self.broken.eq(watchdog.broken)
        if watchdog:
            shown.append(watchdog.tripped)
        m.d.comb += self.contents.eq(Cat(shown))
        self._image(m)
        return m

    def _judge(
        self,
        m: Module,
        ours: list[Value],
        reduces: list[Value],
        distributes: list[Value],
        reduce: Signal,
        down: Signal,
        taken: Signal,
    ) -> None:
        """Say which messages are used where each child has its port, and the parent another.

        What a message is and what is waited for are compared as two bits: a child's REDUCE, or a
        DISTRIBUTE of class 0 or 1. A root never has fired, and who has fired has no child to
        wait for.
        """
        status, control = self.status, self.send.control
        nothing, child = 0, 1
        awaits = Signal(2)
        m.d.comb += awaits.eq(
            Mux(
                status.fired,
                Mux(status.pending[4], nothing, Cat(~control.turn, 1)),
                child,
            )
        )
        for p in range(4):
            turn = getattr(self, f"class_{p}")
            is_reduce = reduces[p] & turn[1 - child_class(p)]
            code = Signal(2, name=f"code_{p}")
            m.d.comb += code.eq(
                Mux(is_reduce, child, Mux(distributes[p], Cat(turn[1], Const(1, 1)), nothing))
            )
            missing = self._present[p] & ~status.arrived[p]
            place = missing | (self.send.up_port[p] & status.fired)
            m.d.comb += [
                taken[p].eq(ours[p] & (code == awaits) & (code != nothing) & place),
                reduce[p].eq(taken[p] & ~status.fired),
                down[p].eq(taken[p] & status.fired),
            ]

    def _writes(
        self, m: Module, life: RegisterLife | None, watchdog: RegisterWatchdog | None
    ) -> Value:
        """Judge a config write; return whether word 0 is being written in this cycle."""
        status, control = self.status, self.send.control
        busy = Signal()
        # Who has fired still has its own arrival or its children's, and only it has one to send up.
        arrived = status.arrived.any() | status.local | status.waiting
        dying = life.dying if life else 0
        m.d.comb += busy.eq(arrived | status.pending[:4].any() | dying)
        keeps = Signal()
        m.d.comb += keeps.eq(busy & ~watchdog.tripped if watchdog else busy)
        refused: Value = Mux(self.write[0], keeps, self.write[1:6].any() & control.valid)
        if life:
            command, given = self.write[RegisterWord.STATUS], self.write_data
            m.d.comb += [
                life.command_go.eq(command & (given == Command.GO) & control.valid & ~busy),
                life.command_kill.eq(command & (given == Command.KILL) & control.valid),
                life.written.eq(self.write[0] & ~keeps),
            ]
            refused = refused | (command & ~life.command_go & ~life.command_kill)
        m.d.comb += self.write_refused.eq(refused)
        return self.write[0] & ~keeps

    def _live(
        self,
        m: Module,
        life: RegisterLife,
        goes: Value,
        breaks: Value,
        used: Value,
        arrives: Value,
        release: Value,
        fire: Value,
    ) -> None:
        """Let messages and arrivals change the register's life."""
        status = self.status
        plain = [
            used[p] & self.used[p] & (getattr(self, f"message_{p}").kind == Kind.REDUCE)
            for p in range(4)
        ]
        m.d.comb += [
            life.message_go.eq(goes.any()),
            life.message_broken.eq(breaks.any()),
            life.plain.eq(Cat(plain).any() | (arrives & ~self.last)),
            life.release.eq(release),
            life.root_fires.eq(fire & self.send.control.root),
            life.arrives.eq(arrives),
            life.quiet.eq(~status.pending.any()),
            life.clear_freed.eq(self.clear_freed),
            self.freed.eq(life.freed),
            self.manager.eq(self.send.control.manager),
        ]

    def _image(self, m: Module) -> None:
        """Carry out the config writes that are not refused."""
        with m.If(~self.write_refused):
            for p in range(4):
                with m.If(self.write[RegisterWord.EAST + p]):
                    m.d.sync += self._present[p].eq(node_word(self.write_data).present)
            with m.If(self.write[RegisterWord.PARENT]):
                m.d.sync += self._relay.eq(parent_word(self.write_data).relay)
            with m.If(self.write[RegisterWord.CONTROL]):
                control = struct(CONTROL)(self.write_data[: CONTROL.width])
                if self._network.watched:  # only one that has tripped is not at rest
                    m.d.sync += self.status.eq(0)
                m.d.sync += [
                    self.status.arrived.eq(0),
                    self.send.control.eq(control),
                    self.send.up_port.eq(self.up_port),
                    self.accumulated.eq(identity(control.op, self._network.data_bits)),
                    self.done.eq(0),
                ]
