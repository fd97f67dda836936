"""Ways to break the blocks, each with the proof that must fail of it."""

from dataclasses import dataclass

__all__ = ["BREAKS", "Break"]


@dataclass(frozen=True)
class Break:
    """One fault.

    Parameters
    ----------
    name : str
        What goes wrong.
    proof : str
        The proof that must fail.
    file : str
        Source that is changed.
    old, new : str
        The change; ``old`` stands in the file exactly once.
    """

    name: str
    proof: str
    file: str
    old: str
    new: str


BREAKS = (
    Break(
        "a full channel still accepts",
        "fifo: channel of 3 places",
        "rtl/parts/channel.py",
        "write.eq(self.push & ~full)",
        "write.eq(self.push)",
    ),
    Break(
        "the second flit of a static buffer is the first again",
        "fifo: static buffer of 2",
        "rtl/static/buffer.py",
        "m.d.sync += second.eq(self.flit)",
        "m.d.sync += second.eq(self.front)",
    ),
    Break(
        "a traffic queue shows an entry that has left",
        "fifo: traffic queue of 4",
        "rtl/traffic/queue.py",
        "read.addr.eq(first + self.leave)",
        "read.addr.eq(first)",
    ),
    Break(
        "a GID queue is full too early",
        "fifo: GID queue, cut to 4",
        "rtl/parts/gid_queue.py",
        "self.full.eq(head == tail ^ PLACES)",
        "self.full.eq(head == tail ^ PLACES // 2)",
    ),
    Break(
        "a credit is lost when one is spent in the same cycle",
        "credits: link of any delay, 4 places",
        "rtl/parts/credit.py",
        "with m.If(self.credit ^ self.spend):",
        "with m.If(self.credit | self.spend):",
    ),
    Break(
        "a level rises though one leaves",
        "credits: static link, 2 places",
        "rtl/static/level.py",
        "rises.eq(some & self.up & ~self.down)",
        "rises.eq(some & self.up)",
    ),
    Break(
        "a counter begins again at 0",
        "counter of up to 9 a cycle",
        "rtl/parts/counter.py",
        "Mux(summed[width:].any(), ~0, summed)",
        "Mux(summed[width:].any(), 0, summed)",
    ),
    Break(
        "who was sent stays where it was",
        "arbiter: least recently sent, 5",
        "rtl/parts/arbiter.py",
        "~self.sent[i] & (self.sent[j] | first[i, j])",
        "self.sent[j] | first[i, j]",
    ),
    Break(
        "the pointer never moves",
        "arbiter: round robin, 5",
        "rtl/parts/arbiter.py",
        "first[i, j].eq(~self.grant[i:j].any())",
        "first[i, j].eq(1)",
    ),
    Break(
        "the chosen message stays in its slot",
        "arbiter: serial turn, 4 registers",
        "rtl/barrier/serial.py",
        "self.held.eq(self.countable & ~self.chosen)",
        "self.held.eq(self.countable)",
    ),
    Break(
        "a spill engine takes two operations at once",
        "arbiter: spill engine's turn",
        "rtl/spill/turn.py",
        "free = free & ~asks",
        "free = self.idle",
    ),
    Break(
        "a static switch looks at two of four credits",
        "static switch",
        "rtl/static/switch.py",
        "ready[i].eq(buffer.some & free[0] & free[1])",
        "ready[i].eq(buffer.some & free[0])",
    ),
    Break(
        "east and west swapped",
        "mesh router: a flit, 1 channel of 2",
        "rtl/mesh/routing.py",
        "east, west = _ways(x, destination.x, 0 in legal, 2 in legal)",
        "west, east = _ways(x, destination.x, 0 in legal, 2 in legal)",
    ),
    Break(
        "a packet begins in the middle of another",
        "mesh router: packets, 1 channel of 2",
        "rtl/mesh/input_port.py",
        "control.active.replicate(5) | ~self.busy[channel::channels]",
        "Const(31, 5)",
    ),
    Break(
        "a switch takes itself for another",
        "irregular switch: a flit, 1 channel of 1",
        "rtl/irregular/routing.py",
        "Mux(header.switch == self.number, header.port,",
        "Mux(header.switch != self.number, header.port,",
    ),
    Break(
        "an output is free again after the head",
        "irregular switch: packets, 1 channel of 1",
        "rtl/irregular/output_port.py",
        "m.d.sync += self.busy[v].eq(~taken.tail)",
        "m.d.sync += self.busy[v].eq(taken.tail)",
    ),
    Break(
        "one child is enough",
        "mesh register",
        "rtl/barrier/rules.py",
        "return (arrived & present) == present",
        "return (arrived & present).any() | ~present.any()",
    ),
    Break(
        "a message is sent for ever",
        "mesh register, faithful neighbours",
        "rtl/barrier/register.py",
        "status.pending.eq((to_send & ~send.sent) | commanded)",
        "status.pending.eq(to_send | commanded)",
    ),
    Break(
        "the first port's child is not awaited",
        "irregular register",
        "rtl/irregular/register.py",
        "missing.eq(children & ~arrived & ~came)",
        "missing.eq((children & ~arrived & ~came)[1:])",
    ),
    Break(
        "a process arrives twice",
        "irregular register of a node interface",
        "rtl/irregular/register.py",
        "self.arrive & self.ready & ~inside & image.children[-1]",
        "self.arrive & self.ready & image.children[-1]",
    ),
    Break(
        "a slot of wires does not wait for levels",
        "wires: switch, shared wires, with parity",
        "rtl/wires/slot.py",
        "complete.eq(~missing & here & ~down & ~stale.any() & ~fault & ~wrong)",
        "complete.eq(here & ~down & ~stale.any() & ~fault & ~wrong)",
    ),
    Break(
        "a stranger is not denied",
        "set-up sink",
        "rtl/setup/steps.py",
        'm.d.sync += code.eq(Answer.DENIED)\n                        m.next = "ANSWER"',
        "m.d.sync += code.eq(Answer.DENIED)",
    ),
    Break(
        "the root is not the last to be asked",
        "manager",
        "rtl/setup/rounds.py",
        "limit.eq(self.command.count - setup)",
        "limit.eq(self.command.count)",
    ),
    Break(
        "a process's flits go to the set-up sink, too",
        "LOCAL port of a mesh",
        "rtl/setup/local_port.py",
        "control.push.eq(link.valid[ordinary])",
        "control.push.eq(link.valid.any())",
    ),
    Break(
        "a manager that is not built obeys",
        "packets of a node interface",
        "rtl/setup/manager.py",
        "                & self.enabled\n",
        "",
    ),
    Break(
        "a process of a mesh arrives before GO",
        "mesh node, whatever processes try",
        "rtl/barrier/register.py",
        "(life.go if life else self.started)",
        "(1 if life else self.started)",
    ),
    Break(
        "what is routed to the switch itself goes to the set-up sink",
        "irregular switch, whatever processes send",
        "rtl/irregular/switch.py",
        "drain.take[p] & source.offer_channel[setup] for p",
        "drain.take[p] for p",
    ),
    Break(
        "a process of a node interface arrives before GO",
        "node interface, whatever processes try",
        "rtl/irregular/register.py",
        "image.control.valid & (life.go | alone) & ~life.dying",
        "image.control.valid & ~life.dying",
    ),
    Break(
        "what is lost is not refunded",
        "guards: flits and credits lost",
        "rtl/guard/sender.py",
        "refund.eq(refund + Mux(heard | fence, out, 0)",
        "refund.eq(refund + Mux(fence, out, 0)",
    ),
    Break(
        "a generator that lets pairs of flips pass",
        "guards: up to 3 wires flipped, and losses",
        "rtl/guard/crc.py",
        "8: 0x7}",
        "8: 0x1}",
    ),
    Break(
        "a watchdog forgets no tick",
        "watchdog, tick every 4 cycles",
        "rtl/guard/watchdog.py",
        "old.eq(waits & (old | self.tick))",
        "old.eq(old | (waits & self.tick))",
    ),
    Break(
        "a flit behind a route's last goes by the table",
        "irregular switch: a flit, 1 channel of 1, by routes",
        "rtl/irregular/routing.py",
        "self.used_up.eq(header.by_route & ~bad & last)",
        "self.used_up.eq(0)",
    ),
    Break(
        "the serial unit does not wait for a child to the west",
        "serial unit: root of two children",
        "rtl/barrier/serial_unit/hand.py",
        "missing.eq(self.present & ~self.arrived)",
        "missing.eq((self.present & ~self.arrived)[:2])",
    ),
    Break(
        "who arrives as the group dies waits for ever",
        "life of a node interface's register",
        "rtl/setup/life.py",
        "self.dies & (self.has_arrived | self.arrives)",
        "self.dies & self.has_arrived",
    ),
)
