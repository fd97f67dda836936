"""Where a node's ordinary packets come from: the stated generator, its software, their sender."""

from amaranth import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.traffic.headers import header_of, xorshift32
from syncfabric.rtl.traffic.queue import NoQueue, PutSignature, WaitingQueue, put_flit

PACKET_FLITS = 5
WARM_UP = 64
GOLDEN_RATIO = 0x9E3779B9
CYCLE_BITS = 32


def goal_of(node_bits: int) -> data.StructLayout:
    """Return a node's part of a pattern: whether it has a goal, its share less 1, and the goal."""
    return data.StructLayout({"aimed": 1, "share": 16, "node": node_bits})


class PacketSource(wiring.Component):
    """Creates packets for other nodes by a pattern and sends them: Bernoulli, open loop.

    A packet created in cycle c can be on the link from c + 1; then one flit a cycle, as credits
    allow, and the next packet's head in the cycle after a tail. Packets take the ordinary
    channels in turn; of a network with datelines only the even ones, unless routing is adaptive.
    Between packets, flits of the node's software go first; a packet of either is sent whole.

    Parameters
    ----------
    network : MessageSpec
        Nodes, flit width, channels and buffers of the network.
    queue : int, >= 2
        Packets that can wait, and flits of software; a power of two. What does not fit is dropped
        and counted.
    make_queue : type of WaitingQueue
        `QueueApart` where the queues' modules, of `queue_widths`, are converted apart.
    software : bool
        The node's software sends packets, too; else what comes by ``put`` is lost.
    patterns : bool
        There is ``goal``; else all packets are for random nodes.

    Members
    -------
    index : In(node bits)
        This node's number.
    cycle : In(32)
        Cycles since reset, for the time of creation.
    load : In(1)
        Seeds the generator; nothing is created in the 64 cycles after.
    seed : In(32)
        One for the whole network; the generator mixes in ``index``.
    enable : In(1)
        Creates packets.
    rate : In(24)
        Probability that a packet is created in a cycle, in units of 2**-24.
    goal : In(goal_of(node bits))
        Where the packets go; to change no later than ``load`` is high.
    put : In(PutSignature(flit_bits))
        Flits of the node's software.
    link : Out(FlitSignature)
        To the router's LOCAL port, or the node interface.
    created, sent, overflow : Out(32)
        Packets created by the generator (those dropped too), those of them sent whole, and packets
        or flits dropped.
    """

    def __init__(
        self,
        network: MessageSpec,
        *,
        queue: int = 16384,
        make_queue: type[WaitingQueue] = WaitingQueue,
        software: bool = True,
        patterns: bool = True,
    ) -> None:
        if queue < 2 or queue & (queue - 1):
            raise ValueError(f"PacketSource queue must be a power of two from 2, not {queue!r}")
        self._network, self._queue, self._make_queue = network, queue, make_queue
        self._software, self._put = software, put_flit(network.flit_bits)
        self._nodes, self._patterns = len(network.topology.nodes), patterns
        bits = network.layout.node_bits
        super().__init__(
            {
                "index": In(bits),
                "cycle": In(CYCLE_BITS),
                "load": In(1),
                "seed": In(32),
                "enable": In(1),
                "rate": In(24),
                **({"goal": In(goal_of(bits))} if patterns else {}),
                "put": In(PutSignature(network.flit_bits)),
                "link": Out(FlitSignature.of(network)),
                "created": Out(32),
                "sent": Out(32),
                "overflow": Out(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        create, destination = self._generate(m)
        header = header_of(m, self._network, destination)
        entry = Cat(header, self.cycle)
        m.submodules.packets = packets = self._make_queue(len(entry), self._queue)
        make_software = self._make_queue if self._software else NoQueue
        m.submodules.software = software = make_software(self._put.size, self._queue)
        m.d.comb += [
            packets.push.eq(create),
            packets.entry.eq(entry),
            software.push.eq(self.put.valid),
            software.entry.eq(self.put.flit),
        ]
        m.d.sync += [
            self.created.eq(self.created + create),
            self.overflow.eq(self.overflow + packets.lost + software.lost),
        ]
        self._send(m, packets, software)
        return m

    def _generate(self, m: Module) -> tuple[Signal, Signal]:
        """Decide in every cycle whether a packet is created, and for which node."""
        # Both generators are kept a step ahead: their words are looked at in the same cycle. The
        # second one is two ahead, for its word is multiplied before it is kept as a destination.
        a, b, warm = Signal(32), Signal(32), Signal(range(WARM_UP + 1))
        destination = Signal(self.index.shape())
        key = (self.index * GOLDEN_RATIO)[:32]
        seeded_a, seeded_b = self.seed ^ key, (~self.seed ^ key)[:32]
        first_a, first_b = (Mux(seeded == 0, 1, seeded) for seeded in (seeded_a, seeded_b))

        draw, create, warming = Signal(), Signal(), warm != 0
        other = (b[16:] * (self._nodes - 1)) >> 16  # among the nodes without this one
        chosen, hit = other + (other >= self.index), draw & (a[8:] < self.rate)
        if self._patterns:
            goal = self.goal
            chosen = Mux(goal.aimed & (b[:16] <= goal.share), goal.node, chosen)
            hit &= ~(goal.aimed & (goal.node == self.index))
        m.d.comb += draw.eq(self.enable & ~warming)
        if self._nodes > 1:
            m.d.comb += create.eq(hit)
        with m.If(self.load):
            m.d.sync += warm.eq(WARM_UP)
        with m.Elif(warming):
            m.d.sync += warm.eq(warm - 1)
        with m.If(self.load | warming | draw):
            m.d.sync += a.eq(xorshift32(Mux(self.load, first_a, a)))
        with m.If(self.load | warming | create):
            m.d.sync += [
                b.eq(xorshift32(Mux(self.load, xorshift32(first_b), b))),
                destination.eq(chosen),
            ]
        return create, destination

    def _send(self, m: Module, packets: WaitingQueue, software: WaitingQueue) -> None:
        """Send flit by flit: the generator's packet leaves with its tail, software's flits each."""
        network, channels, layout = self._network, self._network.channels, self._network.layout
        shape = network.shape
        step = 2 if shape.datelines and not shape.router.escapes else 1
        available, send = Signal(channels), Signal()
        for c in range(channels):
            m.submodules[f"credit_{c}"] = counter = CreditCounter(network.buffer_flits)
            m.d.comb += [
                counter.credit.eq(self.link.credit[c]),
                counter.spend.eq(self.link.valid[c]),
                available[c].eq(counter.available),
            ]
        word, own, last = Signal(range(PACKET_FLITS)), Signal(), Signal()
        put = Signal(self._put)
        turn, kept, channel = (Signal.like(put.channel) for _ in range(3))
        begun = Signal()  # a packet of software, on the channel that is kept
        header = packets.first[: layout.header.width]
        created = packets.first[layout.header.width :]
        # The index and the number enter whole: they are cut to the flit only on the link.
        words = [header, self.index, created, self.sent, self.index ^ created ^ self.sent]
        flit = Signal(struct(layout.flit))
        m.d.comb += [
            put.eq(software.first),
            own.eq(begun | ((word == 0) & software.waiting)),
            channel.eq(Mux(begun, kept, Mux(own, put.channel, turn))),
            send.eq(Mux(own, software.waiting, packets.waiting) & available.bit_select(channel, 1)),
            last.eq(word == PACKET_FLITS - 1),
            packets.leave.eq(send & ~own & last),
            software.leave.eq(send & own),
            flit.payload.eq(Mux(own, put.payload, Array(words)[word])),
            flit.head.eq(Mux(own, put.head, word == 0)),
            flit.tail.eq(Mux(own, put.tail, last)),
            self.link.valid.eq(Mux(send, C(1, 1) << channel, 0)),
            self.link.flit.eq(Mux(send, flit, 0)),
        ]
        with m.If(software.leave):
            m.d.sync += [begun.eq(~put.tail), kept.eq(channel)]
        with m.Elif(send):
            m.d.sync += word.eq(Mux(last, 0, word + 1))
        with m.If(packets.leave):
            m.d.sync += self.sent.eq(self.sent + 1)
            m.d.sync += turn.eq(Mux(turn == channels - step, 0, turn + step))


def queue_widths(network: MessageSpec) -> tuple[int, int]:
    """Return the bits of an entry in the queue of packets, and in that of software."""
    return network.layout.header.width + CYCLE_BITS, put_flit(network.flit_bits).size
