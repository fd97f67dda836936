"""Events of a network with barrier wires: in which cycle the counters show them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BITS,
    MANAGER_BASE,
    MANAGER_COMMAND,
    Counter,
    ManagerWord,
    Request,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.node import NodeInterface
from syncfabric.rtl.irregular.switch import IrregularSwitch
from tests.rtl.irregular.specs import network
from tests.rtl.support import clocked

REGISTERS = 2
SYNCS = {"messages": 2, "both": 2, "wires": 1}
"""After how many cycles an event shows that is none of a slot's."""
WRITE = {"config__valid": 1, "config__write": 1}
QUIET = {"config__valid": 0}


def _spec(sync: str, **keys: Any) -> IrregularSpec:
    return network(ports=3, switches=2, barrier_registers=REGISTERS, sync=sync, **keys)


def _shown(part: Any, cases: Sequence[Mapping[str, int]], counter: Counter) -> list[int]:
    """Return a counter in each cycle."""
    below = COUNTER_BITS * (len(Counter) - counter)
    width = part.observe.shape().width
    mask = (1 << COUNTER_BITS) - 1
    return [cycle["observe"] >> width - below & mask for cycle in clocked(part, cases)]


def _from(cycle: int, cases: list[Any]) -> list[int]:
    """Return what is shown of one event."""
    return [int(t >= cycle) for t in range(len(cases))]


@pytest.mark.parametrize("sync", list(SYNCS))
def test_packets_of_a_switch(sync: str) -> None:
    """The first flit goes to the sink; the second and third come for a full buffer."""
    spec = _spec(sync)
    flit = spec.layout.flit.pack(
        {"payload": spec.layout.header.pack({"port": spec.ports}), "head": 1, "tail": 1}
    )
    comes = {"in_0__valid": 1, "in_0__flit": flit}
    cases: list[Any] = [comes, comes, {"in_0__valid": 0}, *[{}] * 4]
    strays = _shown(IrregularSwitch(spec), cases, Counter.STRAY)
    overflows = _shown(IrregularSwitch(spec), cases, Counter.OVERFLOW)
    assert strays == _from(1 + SYNCS[sync], cases)
    assert overflows == _from(1 + SYNCS[sync], cases)


@pytest.mark.parametrize("sync", list(SYNCS))
@pytest.mark.parametrize("part", ["switch", "node"])
def test_refused_writes(part: str, sync: str) -> None:
    """Word 7 cannot be written. A request is looked at a cycle after it is made."""
    spec = _spec(sync)
    made = IrregularSwitch if part == "switch" else NodeInterface
    for register in range(-(-spec.port_registers // REGISTERS) * REGISTERS + 1):
        cases = [{**WRITE, "config__address": 8 * register + 7}, QUIET, *[{}] * 4]
        shown = _shown(made(spec), cases, Counter.REFUSED_WRITE)
        slot = sync == "both" and REGISTERS <= register < 2 * REGISTERS
        assert shown == _from(1 + (1 if slot else SYNCS[sync]), cases), register


@pytest.mark.parametrize("sync", list(SYNCS))
def test_refused_arrives(sync: str) -> None:
    spec = _spec(sync)
    for register in range(spec.port_registers):
        cases: list[Any] = [{}, {"arrive": 1 << register}, {"arrive": 0}, *[{}] * 4]
        shown = _shown(NodeInterface(spec), cases, Counter.REFUSED_ARRIVE)
        slot = sync == "wires" or register >= REGISTERS
        assert shown == _from(1 + (1 if slot else 2), cases), register


@pytest.mark.parametrize("sync", ["both", "wires"])
@pytest.mark.parametrize("part", ["switch", "node"])
def test_a_slot_that_turns_bad(part: str, sync: str) -> None:
    """Nobody asked for the pulse that comes."""
    spec = _spec(sync)
    made = IrregularSwitch if part == "switch" else NodeInterface
    link = "in_0" if part == "switch" else "downlink"
    control = CONTROL.pack({"valid": 1, "gid": 1})
    cases: list[Any] = [
        {**WRITE, "config__address": 8 * (spec.first_slot + 1), "config__data": control},
        QUIET,
        {},
        {f"{link}__wires": 1 << REGISTERS + 1},
        {f"{link}__wires": 0},
        *[{}] * 3,
    ]
    assert _shown(made(spec), cases, Counter.STRAY) == _from(4, cases)


@pytest.mark.parametrize("sync", list(SYNCS))
def test_a_manager_and_the_flits_that_wait_for_it(sync: str) -> None:
    """A request's three flits go up; the node sends one a cycle, and one place is there."""
    spec = _spec(sync, setup="manager", flit_bits=32)
    command = MANAGER_COMMAND.pack({"operation": Request.SETUP, "count": 1})
    address = MANAGER_BASE + ManagerWord.COMMAND
    built: dict[str, int] = {"manager": 1, "uplink__credit": 0b10}
    cases: list[Any] = [
        {**built, **WRITE, "config__address": address, "config__data": command},
        {**QUIET, "local_in__valid": 1},
        *[{}] * 9,
    ]
    node = NodeInterface(spec)
    seen = clocked(node, cases)
    requests = [t for t, cycle in enumerate(seen) if cycle["uplink__valid"] == 0b10]
    assert len(requests) == 3
    assert [cycle["uplink__valid"] for cycle in seen[1 : requests[0]]] == [1] * (requests[0] - 1)
    # The first that waits has the place; the next three find it taken.
    first = requests[0] + 1 + SYNCS[sync]
    shown = _shown(NodeInterface(spec), cases, Counter.OVERFLOW)
    assert shown == [min(max(0, t - first + 1), 3) for t in range(len(cases))]

    refused: list[Any] = [
        {**built, **WRITE, "config__address": MANAGER_BASE + ManagerWord.STATUS},
        QUIET,
        *[{}] * 4,
    ]
    shown = _shown(NodeInterface(spec), refused, Counter.REFUSED_WRITE)
    assert shown == _from(1 + SYNCS[sync], refused)
    word = spec.layout.flit.pack({"payload": 0, "tail": 1})
    unasked: list[Any] = [
        {**built, "downlink__valid": 0b10, "downlink__flit": word},
        {"downlink__valid": 0},
        *[{}] * 4,
    ]
    assert _shown(NodeInterface(spec), unasked, Counter.STRAY) == _from(SYNCS[sync], unasked)
