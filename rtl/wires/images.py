"""What the slots are told: their control and tree words, and what they make of them."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from syncfabric.models.messages import CONTROL, TREE, Command, Op, WireLayout, WireWord
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.wires.ports import RoleSignature

__all__ = ["WRITABLE", "SlotImages"]

WRITABLE = (WireWord.CONTROL, WireWord.TREE, WireWord.COMMAND)
"""Words that can be written."""

_VALID, _TURN = (1 << CONTROL.offsets[name] for name in ("valid", "turn"))
_KEPT = (1 << CONTROL.width) - 1 & ~_VALID & ~_TURN
"""Bits of a control word that are in the memory."""


class SlotImages(wiring.Component):
    """Takes the writes of the slots' config words, or refuses them.

    One word is written or read a cycle, so the words are in one memory, which a reset leaves as it
    is. What a slot looks at is worked out as its control word is written, by logic that all slots
    share, so that it costs no time afterwards. Cycles as in docs/microarchitecture-wires.md, W4.

    Parameters
    ----------
    plane : WirePlane
        Slots, data bits.
    links : int
        Links of the unit.
    process : bool
        It has a process.
    sink : bool
        A set-up sink looks at the slots.

    Members
    -------
    place : In(range(slots)), word : In(3)
        Slot and word that are addressed.
    writes : In(1), write : In(3), data : In(32), refused : Out(1)
        The request is a write, for whatever unit; a write to one of this unit's words CONTROL,
        TREE and COMMAND; it is refused.
    contents : Out(32)
        What the word holds, if it is CONTROL or TREE; else 0.
    tree : Out
        The tree word of the slot that is addressed, while ``writes``.
    role_0 .. : Out(RoleSignature)
        The images as they count.
    gids : Out(8 * slots), open : Out(slots), managers : Out(2 * slots)
        Only with a sink: what it looks at.
    """

    def __init__(self, plane: WirePlane, links: int, *, process: bool, sink: bool) -> None:
        self._plane, self._sink = plane, sink
        self._layout = WireLayout(links, process, plane.data_bits)
        members: dict[str, Any] = {
            "place": In(range(plane.slots)),
            "word": In(3),
            "writes": In(1),
            "write": In(len(WRITABLE)),
            "data": In(32),
            "refused": Out(1),
            "contents": Out(32),
            "tree": Out(struct(TREE)),
        }
        role = RoleSignature(plane, links, process=process)
        members |= {f"role_{r}": Out(role) for r in range(plane.slots)}
        if sink:
            slots = plane.slots
            members |= {"gids": Out(8 * slots), "open": Out(slots), "managers": Out(2 * slots)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        slots = self._plane.slots
        given = struct(CONTROL)(self.data[: CONTROL.width])
        to_control, to_tree, to_command = self.write
        valid, here = Signal(slots), Signal(slots)
        stores, kills, goes = Signal(), Signal(), Signal()
        open_here, closes, opens = Signal(), Signal(), Signal()
        m.d.comb += [
            here.eq(Cat(self.place == r for r in range(slots))),
            open_here.eq((valid & here).any()),
            stores.eq(to_control & ~(given.valid & open_here)),
            kills.eq(to_command & (self.data == Command.KILL)),
            goes.eq(to_command & (self.data == Command.GO)),
            self.refused.eq(
                (to_control & ~stores)
                | (to_tree & open_here)
                | (to_command & ~((kills | goes) & open_here))
            ),
            # Refused or not, a slot that is not valid may be cleared: nothing is left to be.
            closes.eq(kills | (to_control & ~given.valid)),
            opens.eq(to_control & given.valid),
        ]
        self._keep(m, stores | (to_tree & ~open_here), open_here)
        made = self._role(given)
        for r in range(slots):
            role = getattr(self, f"role_{r}")
            m.d.comb += role.clear.eq(here[r] & (closes | (opens & ~valid[r])))
            if self._layout.process:
                m.d.comb += role.renew.eq(here[r] & opens & ~valid[r])
            with m.If(role.clear):
                # Bit 0 of KILL's number is 0 too.
                m.d.sync += valid[r].eq(given.valid)
                for name, value in made.items():
                    m.d.sync += getattr(role, name).eq(Mux(given.valid, value, 0))
        if self._sink:
            m.d.comb += self.open.eq(valid)
            for r in range(slots):
                with m.If(stores & here[r]):
                    m.d.sync += [
                        self.gids[8 * r : 8 * (r + 1)].eq(given.gid),
                        self.managers[2 * r : 2 * (r + 1)].eq(given.manager),
                    ]
        return m

    def _keep(self, m: Module, keeps: Value, open_here: Value) -> None:
        """Place the memory of all words, and read the one that is addressed."""
        mask = self._layout.tree_mask
        width = (_KEPT | mask).bit_length()
        depth = 2 << bits_for(self._plane.slots - 1) if self._plane.slots > 1 else 2
        m.submodules.memory = memory = Memory(shape=width, depth=depth, init=[])
        store, fetch = memory.write_port(), memory.read_port(domain="comb")
        is_tree, is_image = self.word == WireWord.TREE, ~self.word[1:].any()
        m.d.comb += [
            store.en.eq(keeps),
            store.addr.eq(Cat(self.word[0], self.place)),
            store.data.eq(self.data),
            # A control word that is written counts with the tree word that is there.
            fetch.addr.eq(Cat(self.word[0] | self.writes, self.place)),
            self.contents.eq(
                either(
                    [
                        Mux(is_image, fetch.data & mask & _KEPT, 0),
                        Mux(is_image & ~self.word[0], fetch.data & _KEPT & ~mask, 0),
                        Mux(is_tree, fetch.data & mask & ~_KEPT, 0),
                        Mux(is_image & ~self.word[0], open_here, 0),
                    ]
                )
            ),
        ]
        m.d.comb += self.tree.as_value().eq(fetch.data & mask)

    def _role(self, given: Any) -> dict[str, Value]:
        """Return what words make of a slot, by names of ``RoleSignature``."""
        links, tree = self._layout.links, self.tree
        kids = tree.children[:links]
        parent = Cat(tree.parent == p for p in range(links))
        member: Value = tree.children[links] if self._layout.process else Const(0, 1)
        made = {
            "root": given.root,
            "kids": kids,
            "has_kids": kids.any(),
            "parent": Mux(given.root, 0, parent),
            "passes": kids.any() & ~member,
        }
        if self._layout.process:
            made["member"] = member
        if self._layout.data_bits:
            made |= {"invert": given.op[:2] == Op.AND, "odd": given.op[:2] == Op.XOR}
        return made
