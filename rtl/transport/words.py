"""Config words of the parts of a node that take no commands."""

from collections.abc import Mapping
from typing import Any

from amaranth import Cat, Const, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.parts.gates import either

__all__ = ["Words"]


class Words(wiring.Component):
    """Answers a request in the cycle after its first one; a write takes effect then.

    Requests for other words, or in the other direction, are answered with an error.
    Rules: docs/microarchitecture-engine.md, Node (4, 5).

    Parameters
    ----------
    read : mapping of int to int
        Widths of the words that can be read, by address.
    written : tuple of int
        Addresses of the words that can be written.

    Members
    -------
    config : In(EngineConfigSignature)
    refuse : In(1)
        The request, if there is one, is answered with an error, and does nothing.
    read_0 .. : In, reads_0 .. : Out(1)
        The words that can be read, by address; this one is answered in the next cycle.
    write_0 .. : Out(1)
        The words that can be written: this one becomes ``config.data`` after this cycle.
    """

    def __init__(self, read: Mapping[int, int], written: tuple[int, ...] = ()) -> None:
        self._read = tuple(read)
        self._written = written
        members: dict[str, Any] = {"config": In(EngineConfigSignature()), "refuse": In(1)}
        members |= {f"read_{address}": In(width) for address, width in read.items()}
        members |= {f"reads_{address}": Out(1) for address in read}
        members |= {f"write_{address}": Out(1) for address in written}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config = self.config
        first = config.valid & ~config.ready
        reads = first & ~config.write & ~self.refuse
        writes = first & config.write & ~self.refuse
        known, shown = [], [Const(0, len(config.rdata))]
        for address in self._read:
            asked = reads & (config.address == address)
            known.append(asked)
            m.d.comb += getattr(self, f"reads_{address}").eq(asked)
            shown.append(Mux(asked, getattr(self, f"read_{address}"), 0))
        for address in self._written:
            asked = writes & (config.address == address)
            known.append(asked)
            m.d.comb += getattr(self, f"write_{address}").eq(asked)
        m.d.sync += [
            config.ready.eq(first),
            config.error.eq(first & ~Cat(known).any()),
            config.rdata.eq(either(shown)),
        ]
        return m
