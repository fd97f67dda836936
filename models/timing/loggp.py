"""LogGP with a cost for every hop, and the parameters of the machines that paper Reflex compares.

Source: Alexandrov, Ionescu, Schauser and Scheiman, LogGP, SPAA 1995; the hop cost is that of paper
Reflex, section I. The paper's text has none of the values it used but two, of TILE64: a clock of
700 MHz, and one cycle a hop (section IV-A). The others are assumptions, said at each preset: what
comes of them can be compared with the paper's figures by shape and order only.
"""

from dataclasses import dataclass

from syncfabric.models.timing.times import Times, ns

TILE64_CYCLE_NS = 1_000 / 700
"""TILE64's clock, 700 MHz: paper Reflex, section IV-A."""


@dataclass(frozen=True)
class LogGP(Times):
    """What a message costs, by default on preset ``tile64``; units and errors as of `Times`."""

    ORIGIN = "LogGP"

    L: float = ns(1 * TILE64_CYCLE_NS, 1_000_000, "latency of the network, hops left out, ns")
    o: float = ns(1 * TILE64_CYCLE_NS, 1_000_000, "what a node spends on sending or receiving, ns")
    g: float = ns(2 * TILE64_CYCLE_NS, 1_000_000, "between two messages of a node, ns")
    G: float = ns(TILE64_CYCLE_NS / 4, 10_000, "between two bytes of a message, ns")
    h: float = ns(1 * TILE64_CYCLE_NS, 100_000, "a hop, ns")

    def message_ns(self, hops: int) -> float:
        """Return what a small message takes from processor to processor, 2 o + L + hops h."""
        return 2 * self.o + self.L + hops * self.h

    def access_ns(self, hops: int) -> float:
        """Return what reading a far place takes, there and back, 4 o + 2 L + 2 hops h.

        Source: Culler et al., LogP, PPoPP 1993, which gives 2 L + 4 o.
        """
        return 2 * self.message_ns(hops)


@dataclass(frozen=True)
class MemoryLogGP(LogGP):
    """What a store costs, or a load in one direction. By default, of TILE64's shared memory.

    Parameters
    ----------
    L, o, g, G, h : float
        As of ``LogGP``, with a load or store in place of a message: L through the caches in one
        direction, g between two accesses that one home serves.
    """

    ORIGIN = "LogGP of memory"

    L: float = ns(30 * TILE64_CYCLE_NS, 1_000_000, "latency of a store or one way of a load, ns")
    o: float = ns(2 * TILE64_CYCLE_NS, 1_000_000, "what a core spends on it, ns")


TILE64 = LogGP()
"""Preset ``tile64``: TILE64's user networks, STN and UDN.

From paper Reflex, section IV-A: the clock, and h of one cycle. Assumed: o of one cycle, since an
instruction sends or receives a word; L of one cycle, the link between core and switch; g of two, a
head and a word for each UDN message on a link of a word a cycle; G from its 4-byte words. They are
the least the hardware can take, without any software around it.
"""

TILE64_MEMORY = MemoryLogGP()
"""TILE64's shared memory: a store, or a load in one direction, to an address's home tile.

Clock and h as in ``TILE64``; all else is assumed: L of 30 cycles through the caches one way, o
of two for a load or a store, and g of two between the accesses that one home serves.
"""

INFINIBAND = LogGP(L=3_550, o=1_070, g=940, G=0.5, h=100)
"""Preset ``infiniband``: a cluster under MPI.

The values paper Reflex took are those of its reference [19] (Hoefler et al., LogfP, IPDPS 2006),
and not in its text. Assumed in their place: o, g and G as Netgauge measured them for messages of 8
bytes (G: of 1 MiB) with MVAPICH on the cluster Tukey (codes-org/codes, ``tests/ng-mpi-tukey.dat``:
o 1.05 and 1.08 µs), and for L half of its 11.38 µs there and back less both o; to about 10 ns.
h of 100 ns is assumed with no measurement behind it: what a switch takes from port to port.
"""

PRESETS = {"tile64": TILE64, "tile64-memory": TILE64_MEMORY, "infiniband": INFINIBAND}
"""The machines by name."""
