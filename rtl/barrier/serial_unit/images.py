"""The images of all registers, in LUT RAM: found by register, a field of all at once."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory, ReadPort
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.routing import route
from syncfabric.rtl.messages import node_place, node_word, parent_word, struct

__all__ = ["SerialImages", "image_layout"]


def image_layout(network: MeshSpec) -> data.StructLayout:
    """Return what word 0 leaves in memory: its fields that count, and the port to the parent."""
    control = struct(CONTROL).members
    names = ["root", "turn", "epoch", "gid"] + (["op"] if network.data_bits else [])
    return data.StructLayout({name: control[name] for name in names} | {"up_port": 4})


class SerialImages(wiring.Component):
    """Words 0 to 5 of all registers. Memory outlives a reset.

    Each output has a memory of the places that its messages can be for: its child's, and the
    parent's. Those of one register are read all at once.

    Parameters
    ----------
    network : MeshSpec
        Registers, layouts.

    Members
    -------
    x, y : In
        Position of the router.
    read : In(range(registers)), image : Out(image)
        A register, and what word 0 left of it.
    number : In(range(registers))
        The register at hand: all else is its.
    present : Out(4)
        Children that it has.
    up : In(1), place_0 .. place_3 : Out(place)
        Where its messages to its parent, or else to its children, go.
    write : In(6), data : In(32)
        Words 0 to 5 of it are written; with word 0, ``up`` is high.
    relay : Out(1)
        While word 0 is written: it will be a relay's.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._network, self._registers = network, network.barrier_registers
        registers = self._registers
        layout = network.layout
        self._place = place = node_place(layout)
        members: dict[str, Any] = {
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "read": In(range(registers)),
            "image": Out(image_layout(self._network)),
            "number": In(range(registers)),
            "present": Out(4),
            "up": In(1),
            "write": In(6),
            "data": In(32),
            "relay": Out(1),
        }
        self._children = Memory(shape=4, depth=registers, init=[])
        self._looks: list[tuple[ReadPort, int]] = []
        super().__init__(members | {f"place_{p}": Out(place) for p in range(4)})

    def look(self, register: int) -> Value:
        """Return a register's children, for benches."""
        port = self._children.read_port(domain="comb")
        self._looks.append((port, register))
        return port.data

    def elaborate(self, platform: object) -> Module:
        m = Module()
        given, is_parent = node_word(self.data), self.write[RegisterWord.PARENT]
        # The bit beside a child's place says nothing: whether it is present is in a memory of its
        # own, that is read for children and parent alike.
        kept = Signal(self._place)
        m.d.comb += [
            kept.x.eq(given.x),
            kept.y.eq(given.y),
            kept.present.eq(parent_word(self.data).relay),
        ]
        found = []
        for p in range(4):
            memory = Memory(shape=self._place, depth=2 * self._registers, init=[])
            m.submodules[f"places_{p}"] = memory
            put, get = memory.write_port(), memory.read_port(domain="comb")
            m.d.comb += [
                put.en.eq(is_parent | self.write[RegisterWord.EAST + p]),
                put.addr.eq(Cat(is_parent, self.number)),
                put.data.eq(kept),
                get.addr.eq(Cat(self.up, self.number)),
                getattr(self, f"place_{p}").x.eq(get.data.x),
                getattr(self, f"place_{p}").y.eq(get.data.y),
            ]
            found.append(get.data)
        parent = found[0]
        m.submodules.children = children = self._children
        for look, register in self._looks:
            m.d.comb += look.addr.eq(register)
        put, get = children.write_port(), children.read_port(domain="comb")
        named = self.write[RegisterWord.EAST :]
        m.d.comb += [
            put.en.eq(named.any()),
            put.addr.eq(self.number),
            put.data.eq(Cat(Mux(named[p], given.present, get.data[p]) for p in range(4))),
            get.addr.eq(self.number),
            self.present.eq(get.data),
        ]

        control = struct(CONTROL)(self.data[: CONTROL.width])
        ways = [route(self.x, self.y, parent, y_first=y_first) for y_first in (False, True)]
        image = Signal(image_layout(self._network))
        m.d.comb += [
            *(
                getattr(image, name).eq(getattr(control, name))
                for name in image.shape().members
                if name != "up_port"
            ),
            image.up_port.eq(Mux(control.turn, ways[1], ways[0])[:4]),
            self.relay.eq(parent.present),
        ]
        m.submodules.images = images = Memory(
            shape=image_layout(self._network), depth=self._registers, init=[]
        )
        put, get = images.write_port(), images.read_port(domain="comb")
        m.d.comb += [
            put.en.eq(self.write[RegisterWord.CONTROL]),
            put.addr.eq(self.number),
            put.data.eq(image),
            get.addr.eq(self.read),
            self.image.eq(get.data),
        ]
        return m
