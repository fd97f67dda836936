"""The probe's lines: written, read back, and told apart."""

import random

import pytest

from syncfabric.models.golden.record import PortState, Record
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.checker import explain
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.trace import (
    EMPTY,
    Line,
    observe_line,
    parse,
    parse_wires,
    record_line,
    wires_of,
)
from syncfabric.sim.results import Mismatch
from syncfabric.sim.spread import NodeName
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import SCENARIOS, irregular, make_job, mesh, played
from tests.sim.drive.vectors import drawn_plan, drawn_scenario

SPEC = mesh(2, 2, groups=2)
PORT = PortState(ready=1, done=2, result=9 << SPEC.data_bits)
RECORD = Record(1 << 1 | 1 << 8, 1 << 40, [0x1E, 0x3], 1 << 5, [9], ports=((2, PORT),))


def test_a_line_in_words() -> None:
    text = record_line(26, RECORD, (True, True, 48))
    assert text == f"1a 102 1{'0' * 10} 20 1e 3 9 p2:1:2:0:{PORT.result:x} c1:30"
    assert parse(text, 0) == Line(26, RECORD, (1, 48))
    assert observe_line([(3, 255), (10, 0)]) == "o 3:ff a:0"
    assert parse("o 3:ff a:0", 26) == Line(26, EMPTY, observed=((3, 255), (10, 0)))


def run_with_streams(network: MessageSpec) -> tuple[BarrierPlan, Scenario]:
    rng = random.Random(3)
    plan = drawn_plan(rng, network)
    return plan, drawn_scenario(rng, plan, kill=True)


@pytest.mark.parametrize(
    ("network", "streams"),
    [(mesh(3, 2), 0), (irregular(SMALL), 0), (mesh(3, 2, wires=2, streams=2, stream_bits=64), 2)],
)
def test_every_line_of_a_run_is_read_as_it_was_meant(network: MessageSpec, streams: int) -> None:
    ((plan, scenario),) = make_job(network, random.Random(3), SCENARIOS[2:3]).runs
    if streams:
        plan, scenario = run_with_streams(network)
    kinds = set()
    for chunk in played(plan, scenario):
        cycle = 0
        for text, line in zip(chunk.text, chunk.lines, strict=True):
            read = parse(text, cycle)
            assert list(explain(network, read, line)) == []
            cycle = read.cycle
            assert cycle == line.cycle
            if line.observed is None:
                error, data = read.answer or (0, 0)
                answer = (read.answer is not None, bool(error), data)
                assert record_line(cycle, read.record, answer) == text
                kinds |= {name for name in Record._fields if getattr(line.record, name)}
            else:
                assert observe_line(read.observed or ()) == text
    assert kinds == set(Record._fields) - {"guards", "wires", *(() if streams else ("beats",))}


@pytest.mark.parametrize(
    "text",
    [
        "1a 0 0 0 w1:2",
        "1a 0 0 0 g1",
        "1a 0 0 0 g1:2:3:4:x",
        "1a 0 0 0 p1:1:x:0:0",
        "1a 2 0 0 xx",
        "1a x 0 0",
        "1a 2 0 0",
        "1a 6 0 0 1e",
        "1a 2 0 1 1e",
        "1a",
        "1a 0 0 0 z1:2",
        "1a 0 0 0 s1:2",
    ],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text, 0)


def test_the_wires_of_a_line_can_be_read_alone() -> None:
    line = parse_wires("1a 102 8 20 x x")
    assert line == wires_of(Line(26, RECORD._replace(credit=8)))


@pytest.mark.parametrize(
    ("change", "node", "signal", "hardware", "model"),
    [
        ({"valid": 0, "payloads": []}, (0, 0), "link_0_0_sync_valid", 0, 1),
        ({"credit": 1 << 2 | 1 << 40}, (0, 0), "link_0_1_credit[0]", 1, 0),
        ({"credit": 0}, (0, 0), "inject_credit[0]", 0, 1),
        ({"payloads": [0x1F, 0x3]}, (0, 0), "link_0_0_sync", 0x1F, 0x1E),
        ({"payloads": [0x1E, 0x2]}, (0, 0), "eject_flit[0]", 2, 3),
        ({"release": 0, "results": []}, (0, 1), "release[1]", 0, 1),
        ({"release": 1 << 5 | 1 << 6, "results": [9, 0]}, (1, 1), "release[0]", 1, 0),
        ({"results": [8]}, (0, 1), "result[1]", 8, 9),
        ({"ports": [(2, PORT._replace(ready=3))]}, (0, 1), "ready[1]", 1, 0),
        ({"ports": [(2, PORT._replace(done=0))]}, (0, 1), "done[1]", 0, 1),
        ({"ports": [(2, PORT._replace(broken=1))]}, (0, 1), "broken[0]", 1, 0),
        ({"ports": [(2, PORT._replace(result=PORT.result | 4))]}, (0, 1), "result[0]", 4, 0),
        ({"ports": []}, (0, 1), "port (changed)", "None", str(PORT)),
    ],
)
def test_a_difference_has_its_wires_name(
    change: dict[str, object],
    node: tuple[int, int] | None,
    signal: str,
    hardware: object,
    model: object,
) -> None:
    seen = RECORD._replace(**change)  # type: ignore[arg-type]
    first = next(explain(SPEC, Line(26, seen), Line(26, RECORD)))
    assert first == Mismatch(26, node, signal, hardware, model)  # type: ignore[arg-type]


def test_messages_on_the_links_of_packets() -> None:
    spec = mesh(2, 2, message_links="shared")
    both = Record(0b11, 0, [5, 6], 0, ())
    mismatches = list(explain(spec, Line(1, both._replace(payloads=[4, 7])), Line(1, both)))
    assert [mismatch.signal for mismatch in mismatches] == ["link_0_0_flit[0]", "link_0_0_flit"]


def test_slots_of_wires_are_lanes_above_the_messages() -> None:
    spec = mesh(2, 2, wires=2)
    seen = EMPTY._replace(valid=1 << 4 + 3, payloads=[6])
    (mismatch,) = explain(spec, Line(1, seen), Line(1, EMPTY))
    assert mismatch == Mismatch(1, (0, 0), "link_0_1_slots_valid[1]", 1, 0)
    (mismatch,) = explain(spec, Line(1, seen), Line(1, seen._replace(payloads=[7])))
    assert mismatch == Mismatch(1, (0, 0), "link_0_1_slots[1]", 6, 7)


def test_another_answer_of_the_config_port() -> None:
    (mismatch,) = explain(SPEC, Line(4, EMPTY, (1, 0)), Line(4, EMPTY, (0, 7)))
    assert mismatch == Mismatch(4, None, "config_error, config_rdata", "(1, 0)", "(0, 7)")


CLUSTER = irregular(SMALL, message_links="shared")


@pytest.mark.parametrize(
    ("lane", "node", "valid", "flit"),
    [
        (0, 0, "link_0_0_valid[0]", "link_0_0_flit[0]"),
        (1, 0, "link_0_0_sync_valid", "link_0_0_flit"),
        (2 * 7, 1, "link_1_3_valid[0]", "link_1_3_flit[0]"),
        (2 * 9 + 1, 2, "link_2_1_sync_valid", "link_2_1_flit"),
        (2 * 13, (0, 3), "uplink_1_valid[0]", "uplink_1_flit[0]"),
        (2 * 13 + 1, (0, 3), "uplink_1_sync_valid", "uplink_1_flit"),
        (2 * 6, None, "link number 6, valid[0]", "link number 6, flit[0]"),
    ],
)
def test_wires_of_an_irregular_network(
    lane: int, node: NodeName | None, valid: str, flit: str
) -> None:
    empty, seen = EMPTY, EMPTY._replace(valid=1 << lane, payloads=[6])
    (mismatch,) = explain(CLUSTER, Line(4, seen), Line(4, empty))
    assert mismatch == Mismatch(4, node, valid, 1, 0)
    (mismatch,) = explain(CLUSTER, Line(4, seen), Line(4, seen._replace(payloads=[7])))
    assert mismatch == Mismatch(4, node, flit, 6, 7)
