"""The model of wires that a network file's keys ask for."""

from syncfabric.models.golden.network import wires_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages.wires import WireWord
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec

SWITCHES = IrregularSpec(
    kind="irregular",
    ports=4,
    switches=2,
    links=(((0, 0), (1, 1)),),
    nodes=((0, 2), (1, 3)),
    sync="wires",
    setup="local",
    barrier_registers=2,
    data_bits=3,
    link_registers=1,
)


def test_messages_alone_have_none() -> None:
    assert wires_of(MeshSpec(kind="mesh", width=2, height=2)) is None


def test_with_messages_slots_come_after_registers() -> None:
    spec = MeshSpec(kind="mesh", width=2, height=1, sync="both", barrier_registers=3, data_bits=2)
    counters = [[0] * 4 for _ in range(2)]
    model = wires_of(spec, counters=counters)
    assert model is not None
    model.step(config=ConfigRequest(0, 8 * 3 + WireWord.TREE, True, 1 << 8))
    model.step(config=ConfigRequest(0, 8 * 3, True, 0b011))
    model.step(config=ConfigRequest(0, 8 * 3, True, 0b011))
    assert model.config_answer == (True, True, 0)
    assert model.ready(0, 3)
    assert not model.ready(0, 4)
    model.step(arrive={(0, 3): 2, (1, 3): 1})
    model.step()
    assert model.release == [(0, 3, 2)]
    assert counters == [[0, 0, 0, 1], [0, 0, 1, 0]]


def test_links_have_the_numbers_of_the_contract() -> None:
    """A member's `up` leaves by 4 q + its number, and is at the switch two cycles later."""
    model = wires_of(SWITCHES)
    assert model is not None
    requests = [(1, 9, 2 << 4), (1, 8, 1)]
    # The switch's only kid is on port 3; it is the root.
    requests += [(3, 9, 8 << 4), (3, 8, 3)]
    for node, address, data in requests:
        model.step(config=ConfigRequest(node, address, True, data))
    model.step()
    model.step(arrive={(1, 1): 5})
    model.step()
    seen = []
    for cycle in range(6):
        record = model.step()
        if record is not None:
            seen.append((cycle, record.up, record.down, record.release, record.results))
    up, down = 1 << (8 + 1) * 2 + 1, 0
    # It drives `down` on all its links, of which 3 and 1 lead somewhere.
    pulse = 1 << (4 + 3) * 2 + 1 | 1 << (4 + 1) * 2 + 1
    assert seen == [
        (0, up, down, 0, ()),
        (1, up, down, 0, ()),
        (2, up, pulse, 0, ()),
        (3, up, down, 0, ()),
        (4, 0, 1 << (8 + 1) * 2 + 1, 1 << 3, (5,)),
    ]


def test_a_sink_has_the_same_words_at_once() -> None:
    model = wires_of(SWITCHES)
    assert model is not None
    assert model.access(1, 9, True, 2 << 4) == (False, 0)
    model.step()
    assert model.access(1, 8, True, 1 | 77 << 8) == (False, 0)
    assert not model.ready(1, 1)
    model.step()
    assert model.ready(1, 1)
    assert model.held(1) == [(False, 0), (True, 77)]
    assert model.access(1, 9, True, 0) == (True, 0)
    model.step()
    assert model.access(1, 8, False, 0) == (False, 1 | 77 << 8)
    model.step(arrive={(1, 1): 3})
    assert model.access(1, 8, True, 0) == (False, 0)
    model.step()
    assert model.release == [(1, 1, 0)]
    assert model.broken(1, 1)
    assert model.config_answer == (False, False, 0)
