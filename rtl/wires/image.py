"""What a slot is told: its control and tree words, and what they make of it."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, TREE, Command, Op, WireLayout
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.messages import struct
from syncfabric.rtl.wires.ports import RoleSignature

__all__ = ["SlotImage"]


class SlotImage(wiring.Component):
    """Takes the writes of a slot's config words, or refuses them.

    What the slot looks at is worked out as the control word is written, so that it costs no time
    afterwards. Cycles as in docs/microarchitecture-wires.md, W4.

    Parameters
    ----------
    plane : WirePlane
        Data bits.
    links : int
        Links of the unit.
    process : bool
        It has a process.

    Members
    -------
    write : In(3), data : In(32), refused : Out(1)
        Writes of the words CONTROL, TREE and COMMAND.
    control : Out(control word), tree : Out
        The image as it reads.
    role : Out(RoleSignature)
        The image as it counts.
    """

    def __init__(self, plane: WirePlane, links: int, *, process: bool) -> None:
        self._layout = WireLayout(links, process, plane.data_bits)
        members: dict[str, Any] = {
            "write": In(3),
            "data": In(32),
            "refused": Out(1),
            "control": Out(struct(CONTROL)),
            "tree": Out(struct(self._layout.tree)),
            "role": Out(RoleSignature(plane, links, process=process)),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        control, tree, role = self.control, self.tree, self.role
        links = self._layout.links
        given = struct(CONTROL)(self.data[: CONTROL.width])
        to_control, to_tree, to_command = self.write
        known = ~self.data[2:].any() & control.valid
        stores, kills, goes = Signal(), Signal(), Signal()
        m.d.comb += [
            stores.eq(to_control & ~(given.valid & control.valid)),
            kills.eq(to_command & known & (self.data[:2] == Command.KILL)),
            goes.eq(to_command & known & (self.data[:2] == Command.GO)),
            self.refused.eq(
                (to_control & ~stores) | (to_tree & control.valid) | (to_command & ~kills & ~goes)
            ),
            role.clear.eq(stores | kills),
        ]
        with m.If(stores):
            m.d.sync += [control.eq(given), control.turn.eq(0)]
        with m.If(kills):
            m.d.sync += control.valid.eq(0)
        with m.If(to_tree & ~control.valid):
            word = struct(TREE)(self.data[: TREE.width])
            m.d.sync += [tree.parent.eq(word.parent), tree.children.eq(word.children)]

        kids = tree.children[:links]
        parent = Cat(tree.parent == p for p in range(links))
        member: Value = tree.children[links] if self._layout.process else Const(0, 1)
        made = {
            "kids": kids,
            "has_kids": kids.any(),
            "parent": Mux(given.root, 0, parent),
            "passes": kids.any() & ~member,
        }
        if self._layout.process:
            made["member"] = member
            m.d.comb += role.renew.eq(stores & given.valid)
        if self._layout.data_bits:
            made |= {"invert": given.op[:2] == Op.AND, "odd": given.op[:2] == Op.XOR}
        m.d.comb += role.root.eq(control.root)
        with m.If(role.clear):
            # KILL's data say nothing of the image, and it leaves nothing of the role.
            valid = stores & given.valid
            for name, value in made.items():
                m.d.sync += getattr(role, name).eq(Mux(valid, value, 0))
        return m
