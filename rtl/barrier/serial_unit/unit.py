"""The barrier unit that works on one register a cycle."""

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Out

from syncfabric.models.messages import CONTROL, STATUS, Kind, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.ports import child_class
from syncfabric.rtl.barrier.serial_unit.hand import Hand
from syncfabric.rtl.barrier.serial_unit.images import SerialImages
from syncfabric.rtl.barrier.serial_unit.letters import Letters
from syncfabric.rtl.barrier.serial_unit.register import SerialRegister
from syncfabric.rtl.barrier.serial_unit.requests import Requests
from syncfabric.rtl.barrier.serial_unit.rounds import Rounds
from syncfabric.rtl.barrier.serial_unit.turn import LetterTurn
from syncfabric.rtl.barrier.unit import unit_members
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.events import count_events
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.selector import Selector

__all__ = ["SerialUnit"]


class SerialUnit(wiring.Component):
    """Takes one message, or one arrival of the node's own, a cycle.

    Three stages: who is chosen; whose register that is, and its image; the register at hand.
    Cycles: docs/microarchitecture.md, section 4.7.

    Parameters
    ----------
    network : MeshSpec
        Layouts and options.
    counted : bool
        There are counters; else they read 0.

    Members
    -------
    hold : Out(4)
        Inputs that are to present no message for this node in the next cycle.
    The others
        As of :class:`BarrierUnit`.
    """

    def __init__(self, network: MeshSpec, *, counted: bool = True) -> None:
        self._network, self._counted = network, counted
        self._index = range(network.barrier_registers)
        super().__init__({**unit_members(network), "hold": Out(4)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        count, bits = network.barrier_registers, network.data_bits
        index = self._index
        started = Signal()
        with m.If(self.start):
            m.d.sync += started.eq(1)
        registers = [SerialRegister(network) for _ in range(count)]
        for r, register in enumerate(registers):
            m.submodules[f"register_{r}"] = register
        m.submodules.images = images = SerialImages(network)
        m.submodules.hand = hand = Hand(network)
        m.submodules.letters = letters = Letters(network)
        m.submodules.turn = turn = LetterTurn(count)

        m.submodules.requests = requests = Requests(network)
        m.d.comb += requests.index.eq(self.index)
        wiring.connect(m, wiring.flipped(self.config), requests.config)

        # Who is chosen.
        m.submodules.rounds = rounds = Rounds(4 + count)
        waits = Cat(
            register.waiting | (turn.turn[r] & register.pending)
            for r, register in enumerate(registers)
        )
        m.d.comb += [
            rounds.stops.eq(requests.stops),
            rounds.request.eq(Cat(self.here, waits)),
            self.hold.eq(Mux(rounds.ends, 0, rounds.served[:4])),
            self.take.eq(rounds.grant[:4]),
            turn.waits.eq(Cat(register.pending for register in registers)),
        ]
        message_bits = data.StructLayout({"kind": 2, "gid": 8, "epoch": 2, "turn": 1, "data": bits})
        m.submodules.word = selector = Selector(4, message_bits.size)
        m.d.comb += selector.select.eq(rounds.grant[:4])
        for p in range(4):
            shown = getattr(self, f"message_{p}")
            m.d.comb += getattr(selector, f"word_{p}").eq(
                Cat(shown.kind, shown.gid, shown.epoch, getattr(self, f"class_{p}")[1], shown.data)
            )
        message = Signal(message_bits)
        port, own = Signal(4), Signal(count)
        m.d.sync += [
            message.eq(selector.word),
            port.eq(rounds.grant[:4]),
            own.eq(rounds.grant[4:] | requests.named),
        ]

        # Whose register it is.
        matches = Cat(
            own[r] | (register.match & port.any()) for r, register in enumerate(registers)
        )
        number, found = Signal(range(count)), Signal(count)
        m.d.comb += number.eq(
            Cat(Cat(matches[r] for r in index if r >> bit & 1).any() for bit in range(len(number)))
        )
        image, at = Signal.like(images.image), Signal.like(number)
        came, hits, acts, is_message = Signal(4), Signal(), Signal(), Signal()
        m.d.comb += images.read.eq(number)
        m.d.sync += [
            found.eq(matches),
            at.eq(number),
            image.eq(images.image),
            came.eq(port),
            hits.eq(matches.any()),
            acts.eq(matches.any() & ~requests.found),
            is_message.eq(port.any()),
        ]
        seen = images.image
        epochs = (message.epoch == seen.epoch) & port.any()
        straight = Cat(message.turn == 1 - child_class(p) for p in range(4))
        m.d.sync += [
            hand.reduces.eq(epochs & (message.kind == Kind.REDUCE) & (port & straight).any()),
            hand.distributes.eq(
                epochs
                & (message.kind == Kind.DISTRIBUTE)
                & (message.turn != seen.turn)
                & (port & seen.up_port).any()
            ),
            hand.data.eq(message.data),
        ]
        for register in registers:
            m.d.comb += register.gid.eq(message.gid)

        # What is at hand.
        def at_hand(name: str) -> Value:
            return Array(getattr(register, name) for register in registers)[at]

        state = data.StructLayout(
            {"arrived": 4, "fired": 1, "up": 1, "down": 1, "relay": 1, "accumulated": bits}
        )
        m.submodules.states = states = Memory(shape=state, depth=count, init=[])
        put, get = states.write_port(), states.read_port(domain="comb")
        waiting, arrived, ours_turn = Signal(), Signal(), Signal()
        busy, rewrite, valid = Signal(), Signal(), Signal()
        places = Mux(valid, 0, requests.write[RegisterWord.PARENT :])
        m.d.comb += [
            waiting.eq(at_hand("waiting")),
            arrived.eq(at_hand("arrived")),
            valid.eq(at_hand("valid")),
            hand.image.eq(image),
            hand.relay.eq(get.data.relay),
            hand.present.eq(images.present),
            get.addr.eq(at),
            hand.arrived.eq(get.data.arrived),
            hand.accumulated.eq(get.data.accumulated),
            hand.local.eq(arrived & ~waiting),
            hand.fired.eq(get.data.fired),
            hand.up.eq(get.data.up),
            hand.down.eq(get.data.down),
            hand.port.eq(came),
            hand.own.eq(waiting & ~is_message & ~requests.at_hand),
            hand.own_data.eq(at_hand("kept")),
            hand.last_result.eq(at_hand("result")),
            hand.rewrite.eq(rewrite),
            hand.op.eq(requests.data[3:6]),
            hand.occupied.eq(letters.occupied),
            ours_turn.eq((turn.turn & found).any()),
            hand.may_send.eq(acts & (~turn.holds | ours_turn)),
            turn.visited.eq(acts & ours_turn & hand.waits),
            put.en.eq(hits),
            put.addr.eq(at),
            put.data.arrived.eq(hand.next_arrived),
            put.data.down.eq(hand.next_down),
            put.data.up.eq(hand.next_up),
            put.data.fired.eq(hand.next_fired),
            put.data.relay.eq(Mux(rewrite, images.relay, get.data.relay)),
            put.data.accumulated.eq(hand.next_accumulated),
            busy.eq(valid & (get.data.arrived.any() | arrived | hand.up | hand.down)),
            rewrite.eq(requests.write[RegisterWord.CONTROL] & ~busy),
            requests.refused.eq(Mux(requests.write[RegisterWord.CONTROL], busy, valid)),
            images.x.eq(self.x),
            images.y.eq(self.y),
            images.number.eq(at),
            # A word 0 that is written counts with the parent that is there.
            images.up.eq(hand.ups | requests.at_hand),
            images.write.eq(Cat(rewrite, places)),
            images.data.eq(requests.data),
        ]
        for r, register in enumerate(registers):
            m.d.comb += [
                register.started.eq(started),
                register.arrive.eq(self.arrive[r]),
                register.data.eq(self.data[r * bits : (r + 1) * bits]),
                self.released[r].eq(register.released),
                self.result[r * bits : (r + 1) * bits].eq(register.result),
                self.ready[r].eq(register.ready),
                self.done[r].eq(register.done),
                register.hand.eq(found[r]),
                register.takes_own.eq(hand.own),
                register.release.eq(hand.release),
                register.told.eq(hand.told),
                register.next_pending.eq(hand.next_up | hand.next_down),
                register.next_result.eq(hand.result),
                register.rewrite.eq(rewrite),
                register.control.eq(requests.data),
                register.relay.eq(images.relay),
            ]
        m.d.comb += [
            letters.put.eq(hand.put),
            letters.has_credit.eq(self.has_credit),
            letters.sent.eq(self.sent),
            self.offer.eq(letters.offer),
        ]
        for p in range(4):
            letter, place = getattr(letters, f"message_{p}"), getattr(images, f"place_{p}")
            m.d.comb += [
                letter.eq(hand.message),
                letter.x.eq(place.x),
                letter.y.eq(place.y),
                letter.turn.eq(hand.turn[p]),
                getattr(self, f"send_class_{p}").eq(getattr(letters, f"class_{p}")),
                getattr(self, f"send_{p}").eq(getattr(letters, f"letter_{p}")),
            ]

        # The config port's answer, counters, and what benches see.
        status = Signal(struct(STATUS))
        shown = Signal(struct(CONTROL))
        m.d.comb += [
            status.arrived.eq(get.data.arrived),
            status.local.eq(hand.local),
            status.waiting.eq(waiting),
            status.fired.eq(hand.fired),
            status.pending.eq(Cat(Mux(hand.down, images.present, 0)[:4], hand.up)),
            shown.valid.eq(valid),
            *(
                getattr(shown, name).eq(getattr(image, name))
                for name in image.shape().members
                if name != "up_port"
            ),
        ]
        contents = [
            Mux(requests.word == RegisterWord.CONTROL, shown.as_value(), 0),
            Mux(requests.word == RegisterWord.STATUS, status.as_value(), 0),
            Mux(requests.word == RegisterWord.RESULT, hand.last_result, 0),
        ]
        strays = [is_message & ~(hand.used & hits)]
        events = [
            [self.overflows],
            strays,
            [register.refused for register in registers],
            [requests.refused_write],
        ]
        counted, counts = count_events(m, events, counted=self._counted)
        m.d.comb += [requests.contents.eq(either(contents)), requests.counters.eq(counts)]
        seen_registers: list[Value] = []
        for r, register in enumerate(registers):
            look = states.read_port(domain="comb")
            child = images.look(r)
            m.d.comb += look.addr.eq(r)
            seen_registers += [
                look.data.arrived,
                register.arrived & ~register.waiting,
                register.waiting,
                look.data.fired,
                Mux(look.data.down, child, 0)[:4],
                look.data.up,
                look.data.accumulated,
                register.result,
            ]
        m.d.comb += self.observe.eq(Cat(*seen_registers, counted))
        return m
