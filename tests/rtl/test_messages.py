"""Amaranth's layouts of words agree with the tables bit by bit."""

import random

import pytest

from syncfabric.models.layout.engine import COMMIT, EngineLayout
from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.layout.setup import REPLY, REQUEST
from syncfabric.models.messages.layout import Layout
from syncfabric.models.messages.static import ROLE_WORD
from syncfabric.rtl.messages import struct
from tests.rtl.support import SEED

ENGINES = [
    EngineLayout(links=4, own=True, groups=2, data_bits=0, operations="none"),
    EngineLayout(4, True, 32, 8, "all", place_bits=(3, 10)),
    EngineLayout(links=15, own=False, groups=256, data_bits=32, operations="bitwise"),
]
LAYOUTS = [COMMIT, REQUEST, REPLY, ROLE_WORD, flit_layout(16), flit_layout(128)]
LAYOUTS += [
    layout
    for engine in ENGINES
    for layout in (engine.image, engine.status, engine.message, engine.link_message)
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_struct_packs_as_the_table_does(layout: Layout) -> None:
    rng, made = random.Random(SEED), struct(layout)
    assert made.size == layout.width
    for _ in range(50):
        values = {field.name: rng.getrandbits(field.width) for field in layout.fields}
        assert made.const(values).as_bits() == layout.pack(values)
