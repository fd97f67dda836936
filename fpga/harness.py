"""A block between registers, so that its own paths alone decide how fast it is."""

from amaranth import Module, Signal, Value
from amaranth.lib import data, wiring

__all__ = ["Registered"]


class Registered(wiring.Component):
    """A block with a register before each of its inputs and after each of its outputs.

    Parameters
    ----------
    block : Component
    open : set of str
        Outputs that are left open: what only benches look at.

    Members
    -------
    The block's own, less those left open.

    Attributes
    ----------
    bits : int
        Registers around the block; they are not counted as its own.
    """

    def __init__(self, block: wiring.Component, *, open: frozenset[str] = frozenset()) -> None:
        self._block = block
        members = {
            name: member for name, member in block.signature.members.items() if name not in open
        }
        self.bits = 0
        super().__init__(members)
        for _, member, port in self.signature.flatten(self):
            self.bits += len(Value.cast(port)) if member.is_port else 0

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.block = block = self._block
        ports = {path: port for path, _, port in block.signature.flatten(block)}
        for path, member, outside in self.signature.flatten(self):
            inside = ports[path]
            name = f"kept_{'_'.join(map(str, path))}"
            kept = Signal(len(Value.cast(outside)), name=name, reset_less=True)
            if member.flow == wiring.In:
                m.d.sync += kept.eq(outside)
                m.d.comb += Value.cast(inside).eq(kept)
            else:
                m.d.sync += kept.eq(_plain(inside))
                m.d.comb += Value.cast(outside).eq(kept)
        return m


def _plain(port: object) -> Value:
    return Value.cast(port.as_value() if isinstance(port, data.View) else port)
