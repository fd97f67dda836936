"""The probe's lines: written, read back, and told apart."""

import random

import pytest

from syncfabric.models.golden.record import Record
from syncfabric.models.messages import STATUS
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.drive.lines import (
    EMPTY,
    Line,
    explain,
    observe_line,
    parse,
    parse_wires,
    record_line,
    wires_of,
)
from syncfabric.sim.results import Mismatch, NodeName
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import SCENARIOS, irregular, make_job, mesh, played
from tests.sim.drive.wires.nets import COMBINATIONS, network_of, wired

SPEC = mesh(2, 2, barrier_registers=2)
RECORD = Record(1 << 1 | 1 << 12, 1 << 60, [0x1E, 0x3], 1 << 5, [9])


def test_a_line_in_words() -> None:
    text = record_line(26, RECORD, (True, True, 48))
    assert text == f"1a 1002 1{'0' * 15} 20 1e 3 9 c1:30"
    assert parse(text, 0) == Line(26, RECORD, (1, 48))
    assert observe_line([(3, 255), (10, 0)]) == "o 3:ff a:0"
    assert parse("o 3:ff a:0", 26) == Line(26, EMPTY, observed=((3, 255), (10, 0)))


@pytest.mark.parametrize("network", [mesh(3, 2), irregular(SMALL)])
def test_every_line_of_a_run_is_read_as_it_was_meant(network: RegisterSpec) -> None:
    ((plan, scenario),) = make_job(network, random.Random(3), SCENARIOS[2:3]).runs
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
    assert kinds == set(Record._fields) - {"guards", "wires"}


WIRED = network_of("mesh", barrier_registers=2, data_bits=3, parity=True)
CABLED = irregular(SMALL, sync="wires", barrier_registers=2, data_bits=3, wires="shared")


def test_changes_of_wires_stand_between_releases_and_the_answer() -> None:
    record = RECORD._replace(wires=((1, 0x2A), (18, 0)))
    text = record_line(26, record, (True, True, 48))
    assert text.endswith(" 9 w1:2a w12:0 c1:30")
    assert parse(text, 0) == Line(26, record, (1, 48))
    only = EMPTY._replace(wires=((0, 1),))
    assert record_line(7, only, (False, False, 0)) == "7 0 0 0 w0:1"
    assert parse("7 0 0 0 w0:1", 0).record.wires == only.wires


@pytest.mark.parametrize(
    ("network", "link", "words", "place", "signal", "values"),
    [
        (WIRED, 4 * 4, (0b01, 0b11), (1, 1), "link_1_1_east_wires: up[1]", (0, 1)),
        (WIRED, 4 * 4 + 3, (0b0100, 0), (1, 1), "link_1_1_south_wires: down[0]", (1, 0)),
        (WIRED, 0, (5 << 7, 6 << 7), (0, 0), "link_0_0_east_wires: up_data[1]", (5, 6)),
        (WIRED, 0, (1 << 10, 0), (0, 0), "link_0_0_east_wires: down_data[0]", (1, 0)),
        (WIRED, 0, (0, 1 << 16), (0, 0), "link_0_0_east_wires: parity", (0, 1)),
        (WIRED, 2, (1, 0), None, "wires of link number 2: up[0]", (1, 0)),  # there is none
        (CABLED, CABLED.ports + 3, (2, 0), 1, "link_1_3_wires: up[1]", (1, 0)),
        (CABLED, CABLED.ports * 3 + 2, (1, 0), (2, 0), "uplink_2_wires: up[0]", (1, 0)),
    ],
)
def test_a_difference_of_wires_names_link_slot_and_wire(
    network: RegisterSpec,
    link: int,
    words: tuple[int, int],
    place: NodeName | None,
    signal: str,
    values: tuple[int, int],
) -> None:
    hardware, model = (Line(9, EMPTY._replace(wires=((link, word),))) for word in words)
    assert list(explain(network, hardware, model)) == [Mismatch(9, place, signal, *values)]


def test_a_change_that_only_one_shows_is_held_against_the_word_before() -> None:
    change = Line(9, EMPTY._replace(wires=((4, 0b10),)))
    (late,) = explain(WIRED, Line(9, EMPTY), change, {4: 0b11})
    assert late == Mismatch(9, (1, 0), "link_1_0_east_wires: up[0]", 1, 0)
    assert list(explain(WIRED, Line(9, EMPTY), change, {4: 0b10})) == []


@pytest.mark.parametrize("name", ["mesh, both, shared", "irregular, wires alone"])
def test_wires_of_a_run_are_read_as_they_were_meant(name: str) -> None:
    kind, keys = COMBINATIONS[name]
    plan, seen = wired(network_of(kind, **keys)), 0
    for chunk in played(plan, SCENARIOS[0]):
        for text, line in zip(chunk.text, chunk.lines, strict=True):
            if line.observed is None:
                read = parse(text, 0)
                assert read.record.wires == tuple(line.record.wires)
                seen += len(read.record.wires)
    assert seen > 100


@pytest.mark.parametrize(
    "text",
    [
        "1a 0 0 0 w1",
        "1a 0 0 0 w1:2:3",
        "1a 0 0 0 w1:x",
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
    line = parse_wires("1a 1002 8 20 x x")
    assert line == wires_of(Line(26, RECORD._replace(credit=8)))


@pytest.mark.parametrize(
    ("change", "node", "signal", "hardware", "model"),
    [
        ({"valid": 0, "payloads": []}, (0, 0), "link_0_0_east_sync_valid[0]", 0, 1),
        ({"credit": 1 << 3 | 1 << 60}, (0, 0), "link_0_0_north_credit[0]", 1, 0),
        ({"credit": 0}, (0, 0), "inject_credit[0]", 0, 1),
        ({"payloads": [0x1F, 0x3]}, (0, 0), "link_0_0_east_flit", 0x1F, 0x1E),
        ({"payloads": [0x1E, 0x2]}, (0, 0), "eject_flit[0]", 2, 3),
        ({"release": 0, "results": []}, (0, 1), "release[1]", 0, 1),
        ({"release": 1 << 5 | 1 << 6, "results": [9, 0]}, (1, 1), "release[0]", 1, 0),
        ({"results": [8]}, (0, 1), "result[1]", 8, 9),
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


def test_messages_on_links_of_their_own() -> None:
    spec = mesh(2, 2, sync_links="own")
    both = Record(0b11, 0, [5, 6], 0, ())
    told = list(explain(spec, Line(1, both._replace(payloads=[4, 7])), Line(1, both)))
    assert [mismatch.signal for mismatch in told] == ["link_0_0_east_flit[0]", "link_0_0_east_sync"]


def test_another_answer_of_the_config_port() -> None:
    (told,) = explain(SPEC, Line(4, EMPTY, (1, 0)), Line(4, EMPTY, (0, 7)))
    assert told == Mismatch(4, None, "config_error, config_rdata", "(1, 0)", "(0, 7)")


def test_fields_of_the_observed_state() -> None:
    register = STATUS.width + 2 * SPEC.data_bits
    local = STATUS.offsets["local"]
    cases = {
        1 << local: "observe: local[0]",
        1 << register + STATUS.width: "observe: acc[1]",
        1 << 2 * register - 1: "observe: result[1]",
        1 << 2 * register + 8: "observe: STRAY",
    }
    for bit, name in cases.items():
        seen, wanted = (Line(9, EMPTY, observed=((2, value),)) for value in (bit, 0))
        (told,) = explain(SPEC, seen, wanted)
        assert (told.node, told.signal) == ((0, 1), name)
        assert told.hardware != told.model


def test_a_node_whose_state_changed_in_one_of_them_alone() -> None:
    (told,) = explain(SPEC, Line(9, EMPTY, observed=()), Line(9, EMPTY, observed=((3, 1),)))
    assert told == Mismatch(9, (1, 1), "observe (changed)", None, 1)


CLUSTER = irregular(SMALL, barrier_registers=2, operations="all")


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
    (told,) = explain(CLUSTER, Line(4, seen), Line(4, empty))
    assert told == Mismatch(4, node, valid, 1, 0)
    (told,) = explain(CLUSTER, Line(4, seen), Line(4, seen._replace(payloads=[7])))
    assert told == Mismatch(4, node, flit, 6, 7)


def test_the_observed_state_of_nodes_and_switches() -> None:
    cases = {
        (1, 0): ((0, 3), "arrived[0]"),
        (1, 5): ((0, 3), "up[0]"),
        (1, 2 * 18 + 8): ((0, 3), "STRAY"),
        (5, 4): (1, "fired[0]"),
        (5, 5): (1, "pending[0]"),
        (5, 22 + 3): (1, "arrived[1]"),
        (5, 22 + 16): (1, "result[1]"),
        (5, 2 * 22): (1, "OVERFLOW"),
    }
    for (target, bit), (node, name) in cases.items():
        seen, wanted = (Line(9, EMPTY, observed=((target, value),)) for value in (1 << bit, 0))
        (told,) = explain(CLUSTER, seen, wanted)
        assert (told.node, told.signal) == (node, f"observe: {name}")
