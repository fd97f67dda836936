"""Amaranth's layouts of the messages agree with the tables bit by bit."""

import random

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, NODE_WORD, STATUS, Layout, MeshLayout
from syncfabric.rtl.messages import node_contents, node_place, node_word, struct
from tests.rtl.support import SEED, evaluate

MESHES = [
    MeshLayout(width=width, height=height, flit_bits=flit, data_bits=data)
    for width, height, flit, data in ((1, 1, 16, 0), (8, 5, 32, 4), (1024, 1024, 128, 32))
]
LAYOUTS = [CONTROL, NODE_WORD, STATUS]
LAYOUTS += [layout for mesh in MESHES for layout in (mesh.sync, mesh.header, mesh.flit)]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_struct_packs_as_the_table_does(layout: Layout) -> None:
    rng, made = random.Random(SEED), struct(layout)
    assert made.size == layout.width
    for _ in range(50):
        values = {field.name: rng.getrandbits(field.width) for field in layout.fields}
        assert made.const(values).as_bits() == layout.pack(values)


class Place(wiring.Component):
    """Keeps a config word as a register does, and shows it again."""

    def __init__(self, mesh: MeshLayout) -> None:
        self._kept = node_place(mesh)
        super().__init__({"word": In(32), "kept": Out(self._kept), "contents": Out(32)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        word = node_word(self.word)
        m.d.comb += [
            self.kept.x.eq(word.x),
            self.kept.y.eq(word.y),
            self.kept.present.eq(word.present),
            self.contents.eq(node_contents(self.kept)),
        ]
        return m


@pytest.mark.parametrize("mesh", MESHES, ids=["1x1", "8x5", "1024x1024"])
def test_register_keeps_what_the_mesh_needs_of_a_place(mesh: MeshLayout) -> None:
    rng = random.Random(SEED)
    words = [rng.getrandbits(32) for _ in range(50)]
    for word, seen in zip(words, evaluate(Place(mesh), [{"word": w} for w in words]), strict=True):
        full = NODE_WORD.unpack(word)
        kept = {
            "x": full["x"] % (1 << mesh.x_bits),
            "y": full["y"] % (1 << mesh.y_bits),
            "present": full["present"],
        }
        assert seen["contents"] == NODE_WORD.pack(kept)
        assert node_place(mesh).const(kept).as_bits() == seen["kept"]
