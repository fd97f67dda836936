"""What a slot of barrier wires never does, whatever its wires, its process and software do."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONTROL, TREE, Command, WireLayout
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.messages import struct
from syncfabric.rtl.wires.images import WRITABLE, SlotImages
from syncfabric.rtl.wires.plane import SlotPlane
from tests.formal.properties import Properties

__all__ = ["SlotProof"]

LA, UP, DN, FAULT, DONE, BROKEN = range(6)


class SlotProof(wiring.Component):
    """One slot with its image; everything around it is free.

    Parameters
    ----------
    plane : WirePlane
        Of one slot, without data.
    links : int
    process : bool

    Members
    -------
    in_0 .. : In(plane.link.width), arrive : In(1)
        Links and process do anything at all.
    write : In(3), data : In(32)
        So does software, one word a cycle.
    """

    def __init__(self, plane: WirePlane, links: int, *, process: bool) -> None:
        self._plane, self._links, self._process = plane, links, process
        members: dict[str, Any] = {f"in_{p}": In(plane.link.width) for p in range(links)}
        super().__init__(members | {"arrive": In(1), "write": In(3), "data": In(32)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        plane, links = self._plane, self._links
        shape = (plane, links)
        # What a sink sees of it is looked at: without that an induction could start from an image
        # that is another than was written.
        m.submodules.image = image = SlotImages(*shape, process=self._process, sink=True)
        m.submodules.slots = slots = SlotPlane(*shape, process=self._process)
        wiring.connect(m, image.role_0, slots.role_0)
        words = [Mux(self.write[i], word, 0) for i, word in enumerate(WRITABLE)]
        m.d.comb += [
            image.write.eq(self.write),
            image.writes.eq(1),
            image.word.eq(words[0] | words[1] | words[2]),
            image.data.eq(self.data),
        ]
        claims.assume((self.write & (self.write - 1)) == 0)
        received = []
        for p in range(links):
            wires: Value = getattr(self, f"in_{p}")
            m.d.comb += getattr(slots, f"in_{p}").eq(wires)
            for stage in range(plane.link_registers):
                kept = Signal(len(wires), name=f"received_{p}_{stage}")
                m.d.sync += kept.eq(wires)
                wires = kept
            received.append(wires)
        # Without data the wires of a link are up, down (two wires), parity.
        ups = Cat(wires[0] for wires in received)
        downs = Cat(wires[0 if plane.shared else 1] for wires in received)
        wrongs = Cat(wires.xor() & plane.parity for wires in received)

        role, holds = image.role_0, dict[str, Value]()
        valid, root, tree = self._written(m, claims, image, holds)
        kids, parent = tree.children[:links], 1 << tree.parent
        status, began = slots.status, Signal()
        member: Value = tree.children[links] if self._process else Const(0, 1)
        complete, called, wrong, live = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            live.eq(valid & ~status[FAULT]),
            complete.eq(live & ((kids & ~ups) == 0) & (status[LA] | ~member)),
            called.eq(((parent & downs) != 0) & ~root),
            wrong.eq(((kids | Mux(root, 0, parent)) & wrongs)[:links].any()),
        ]
        m.d.sync += began.eq(1)
        age = self._age(m, status[DN], role.clear)
        was = {}
        for name, value in {
            "complete": complete, "root": root, "called": called, "wrong": wrong, "valid": valid,
            "up": status[UP], "dn": status[DN], "la": status[LA], "fault": status[FAULT],
            "missing": (kids & ~ups) != 0, "clear": role.clear,
            "unasked": live & ((called & ~status[UP]) | wrong),
            "stuck": live & ((kids & ups) != 0) & (age == 2 * plane.link_registers + 1),
        }.items():  # fmt: skip
            was[name] = Signal(name=f"was_{name}")
            m.d.sync += was[name].eq(value)

        holds |= {
            "no release without all, and none without the process's own arrival": ~status[DN]
            | Mux(was["root"], was["complete"], was["up"] & was["called"]),
            "no level goes up before all are in": ~status[UP] | (was["complete"] & ~was["root"]),
            "nothing is passed on with a wrong parity": ~(status[DN] | status[UP]) | ~was["wrong"],
            "a level stays until the pulse": ~(
                was["up"] & ~was["missing"] & ~was["clear"] & ~status[UP]
            )
            | status[DN]
            | status[FAULT],
            "an unasked pulse, a level that does not fall, wrong parity are seen": ~(
                (was["unasked"] | was["stuck"]) & ~was["clear"]
            )
            | status[FAULT],
            "a fault stays until it is cleared": ~(was["fault"] & ~was["clear"]) | status[FAULT],
            "a faulty slot passes nothing on": ~(was["fault"] | ~was["valid"])
            | ~(status[UP] | status[DN]),
            "what is not set up means nothing": (valid | ~status[:DONE].any())
            & (~was["clear"] | ~status[:DONE].any()),
        }
        outs = Cat(getattr(slots, f"out_{p}").up for p in range(links))
        holds["what is not set up drives nothing"] = valid | ~outs.any()
        holds["a root pulses again only when levels have had time to fall"] = ~(
            status[DN] & root & (kids != 0)
        ) | (age == age.init)
        if self._process:
            holds |= self._owed(m, slots, was["la"])
        armed = valid.replicate(links)
        holds["the image says what was written"] = Cat(
            role.kids == (kids & armed),
            role.parent == Mux(valid & ~root, parent, 0)[:links],
            role.has_kids == (valid & (kids != 0)),
            role.passes == (valid & (kids != 0) & ~member),
            ~valid | (role.root == root),
            role.member == (valid & member) if self._process else 1,
        ).all()
        for name, hold in holds.items():
            claims.holds(name, ~began | hold)
        claims.reached("a member is released by its parent", status[DN] & ~was["root"])
        claims.reached("a fault is found", status[FAULT])
        return m

    def _written(
        self, m: Module, claims: Properties, image: SlotImages, holds: dict[str, Value]
    ) -> tuple[Value, Value, Any]:
        """Return what the contract makes of the writes: valid, root, tree; the image agrees."""
        valid, root = Signal(), Signal()
        kept = Signal(TREE.width, reset_less=True)  # a reset does not reach the memory (W4)
        given = struct(CONTROL)(self.data[: CONTROL.width])
        to_control, to_tree, to_command = self.write
        mask = WireLayout(self._links, self._process, 0).tree_mask
        known = valid & ((self.data == Command.GO) | (self.data == Command.KILL))
        with m.If(to_control & ~(given.valid & valid)):
            m.d.sync += [valid.eq(given.valid), root.eq(given.root)]
        with m.If(to_tree & ~valid):
            m.d.sync += kept.eq(self.data & mask)
        with m.If(to_command & valid & (self.data == Command.KILL)):
            m.d.sync += valid.eq(0)
        # As no reset reaches it, this one holds from the very first cycle on.
        claims.holds("the tree word is kept", image.tree.as_value() == kept)
        holds["valid exactly from the control word to its end"] = image.open == valid
        holds["refused is what would disturb a slot that is set up"] = image.refused == (
            (to_control & given.valid & valid) | (to_tree & valid) | (to_command & ~known)
        )
        return valid, root, struct(TREE)(kept)

    def _age(self, m: Module, dn: Value, clear: Value) -> Signal:
        """Return the cycles since the last pulse, up to as many as there are to the next."""
        most = 2 * self._plane.link_registers + 3
        age = Signal(range(most + 1), init=most)
        with m.If(clear):
            m.d.sync += age.eq(most)
        with m.Elif(dn):
            m.d.sync += age.eq(1)
        with m.Elif(age != most):
            m.d.sync += age.eq(age + 1)
        return age

    def _owed(self, m: Module, slots: SlotPlane, was_la: Value) -> dict[str, Value]:
        """Exactly one release an arrival; a good one only for who has arrived."""
        m.d.comb += slots.arrive.eq(self.arrive)
        accepts, owed = self.arrive & ~slots.refused, Signal()
        m.d.sync += owed.eq(accepts | (owed & ~slots.released))
        return {
            "one release for each arrival": (owed == (slots.status[LA] | slots.released))
            & ~(slots.status[LA] & slots.released),
            "an arrival counts once, and only when ready": ~accepts
            | (slots.ready & ~slots.status[LA]),
            "a good release is for who has arrived": ~(slots.released & ~slots.broken) | was_la,
            "done and broken go with the release": (~slots.released | slots.done)
            & (~slots.broken | slots.done),
        }
