"""Slots and links have the numbers of the contract in a whole network."""

from itertools import product

import pytest

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE, Counter
from syncfabric.models.messages.wires import WireWord
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec

R = 3


def switches(**options: object) -> IrregularSpec:
    keys = {
        "kind": "irregular",
        "ports": 4,
        "switches": 2,
        "links": [((0, 0), (1, 1))],
        "nodes": [(0, 2), (1, 3)],
        "setup": "local",
    }
    return IrregularSpec.model_validate(keys | options)


def request(model: GoldenModel, target: int, address: int, data: int | None = None) -> int | None:
    """Write ``data``, or read; return the answer, None for an error."""
    model.step(config=ConfigRequest(target, address, data is not None, data or 0))
    while not model.config_answer[0]:
        model.step()
    _, error, answer = model.config_answer
    return None if error else answer


def test_links_have_the_numbers_of_the_contract() -> None:
    """A member's `up` leaves by 4 q + its number, and is at the switch two cycles later."""
    network = switches(sync="wires", channels=0, barrier_registers=2, data_bits=3, link_registers=1)
    model = model_of(network)
    # The switch's only kid is on port 3; it is the root.
    for target, address, data in [(1, 9, 2 << 4), (1, 8, 1), (3, 9, 8 << 4), (3, 8, 3)]:
        assert request(model, target, address, data) == 0
    model.step(arrive={(1, 1): 5})
    model.step()
    seen = []
    for cycle in range(7):
        record = model.step()
        if record is not None:
            seen.append((cycle, list(record.wires), record.release, list(record.results)))
    up, down = 1 << 1 | 5 << 4 + 3, 1 << 2 + 1 | 5 << 10 + 3
    # It drives `down` on all its links, of which 3 and 1 lead somewhere.
    assert seen == [
        (0, [(8 + 1, up)], 0, []),
        (2, [(4 + 1, down), (4 + 3, down)], 0, []),
        (3, [(4 + 1, 0), (4 + 3, 0)], 0, []),
        (4, [(8 + 1, down)], 1 << 3, [5]),
        (5, [(8 + 1, 0)], 0, []),
    ]


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_with_both_slots_come_after_registers(kind: str) -> None:
    keys = {"sync": "both", "barrier_registers": R, "data_bits": 2}
    mesh = MeshSpec.model_validate({"kind": "mesh", "width": 2, "height": 1, **keys})
    model = model_of(mesh if kind == "mesh" else switches(**keys))
    process = 4 if kind == "mesh" else 1
    slot, width = 8 * R, 12 + 4 if kind == "mesh" else 6 + 4
    assert request(model, 0, slot + WireWord.TREE, 1 << 4 + process) == 0
    assert request(model, 0, slot, 0b011 | 9 << 8) == 0
    assert model.holder(0, 9) == R
    assert request(model, 0, slot, 0b011) is None
    assert request(model, 0, 8 * 2 * R, 1) is None
    assert request(model, 0, slot + WireWord.CONTROL) == 0b011 | 9 << 8
    assert model.ready(0, R)
    assert not any(model.ready(0, register) for register in (0, R + 1))
    model.step(arrive={(0, R): 2, (1, R): 1})
    model.step()
    assert model.release == [(0, R, 2)]
    assert model.done(0, R)
    assert not model.done(0, 0)
    record = model.step()
    assert record is not None
    assert (record.release, record.results) == (1 << R, [2])
    status = model.observe(0) >> R * width
    assert status & 0x3FF == 0b010000 | 2 << 6 | 2 << 8
    model.step()
    top = R * (width + 10)
    assert model.observe(0) >> top == 2 << 24
    assert model.observe(1) >> top == 1 << 16
    assert request(model, 0, COUNTER_BASE + Counter.REFUSED_WRITE) == 2


@pytest.mark.parametrize(("sync", "slot"), list(product(("wires", "both"), (False, True))))
def test_when_a_refused_write_shows(sync: str, slot: bool) -> None:
    """On irregular networks a slot's from t + 1, t the cycle in which it is looked at."""
    model = model_of(switches(sync=sync, barrier_registers=R))
    address = (8 * R * (sync == "both") if slot else 8 * 20) + WireWord.STATUS
    model.step(config=ConfigRequest(3, address, True, 1))
    model.step()
    shown = [model.observe(3)]
    assert model.config_answer == (True, True, 0)
    for _ in range(2):
        model.step()
        shown.append(model.observe(3))
    at_once = slot or sync == "wires"
    assert [bool(word) for word in shown] == [at_once, True, True]


def test_a_mesh_of_one_has_no_link() -> None:
    network = MeshSpec(kind="mesh", width=1, height=1, sync="wires", channels=0, setup="local")
    model = model_of(network)
    assert request(model, 0, WireWord.TREE, 1 << 8) == 0
    assert request(model, 0, WireWord.CONTROL, 0b011) == 0
    model.step(arrive={(0, 0): 7})
    model.step()
    record = model.step()
    assert record is not None
    assert (record.release, record.results, record.wires) == (1, [7], [])


def test_there_are_no_packets_without_channels() -> None:
    network = MeshSpec(kind="mesh", width=2, height=2, sync="wires", channels=0, setup="local")
    model = model_of(network)
    model.step(load=3, enable=True, rate=1 << 23)
    for _ in range(200):
        assert model.step(enable=True, rate=1 << 23) is None
    assert model.is_empty()
    with pytest.raises(ValueError, match="channel"):
        model.put(0, [1])
