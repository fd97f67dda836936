"""Routing tables that lead nowhere are refused, with the cycle."""

import random
import re

import numpy as np
import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.updown import (
    check_arrival,
    next_switches,
    routing_tables,
    updown_tables,
)
from tests.models.planning.irregular import draw_network, network_of

RING = Irregular(
    3,
    4,
    tuple(((s, 0), ((s + 1) % 4, 1)) for s in range(4)),
    tuple((s, 2) for s in range(4)),
)
"""Port 0 leads to the next of four switches, port 1 to the one before, port 2 to a node."""


def clockwise() -> list[list[int]]:
    """All go round by port 0."""
    return [[-1 if s == d else 0 for d in range(4)] for s in range(4)]


def test_tables_of_the_file_are_used() -> None:
    tables = tuple(map(tuple, clockwise()))
    network = network_of(RING, tables=tables).network
    assert routing_tables(network) == tables  # type: ignore[arg-type]


def test_next_switches() -> None:
    assert next_switches(RING, np.array(clockwise())).tolist() == [
        [0, 1, 1, 1],
        [2, 1, 2, 2],
        [3, 3, 2, 3],
        [0, 0, 0, 3],
    ]


@pytest.mark.parametrize(
    ("entries", "cycle", "to"),
    [
        ({(2, 3): 1}, "1 -> 2 -> 1", 3),
        ({(3, 2): 0, (1, 2): 1, (0, 2): 0}, "0 -> 1 -> 0", 2),
    ],
)
def test_a_livelock_is_refused_with_its_cycle(
    entries: dict[tuple[int, int], int], cycle: str, to: int
) -> None:
    tables = clockwise()
    for (switch, destination), port in entries.items():
        tables[switch][destination] = port
    plan = make_plan(network_of(RING, tables=tuple(map(tuple, tables))))
    message = (
        f"network: tables: packets for switch {to} go round in a cycle of switches, {cycle}; "
        f"lead one of these on to {to}"
    )
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        deadlock.check(plan)


@pytest.mark.parametrize("entry", [-1, 2, 3])
def test_a_hole_is_refused(entry: int) -> None:
    """Nothing, a node, and a port that does not exist."""
    tables = clockwise()
    tables[1][3] = entry
    with pytest.raises(SpecError, match=r"^network: tables: switch 1 sends packets for switch 3"):
        network_of(RING, tables=tuple(map(tuple, tables)))


def test_any_single_wrong_entry_is_seen_or_harmless() -> None:
    """Each entry of good tables turned to each other link: refused just when a walk fails."""
    topology = draw_network(random.Random(4), 7, 5, 10, ports=5)
    good = updown_tables(topology)
    check_arrival(topology, good)
    for switch, to in np.argwhere(good >= 0).tolist():
        for port in range(5):
            if topology.across(switch, port) is None:
                continue
            tables = good.copy()
            tables[switch, to] = port
            if arrives(topology, tables, switch, to):
                check_arrival(topology, tables)
            else:
                with pytest.raises(SpecError, match=f"packets for switch {to} go round"):
                    check_arrival(topology, tables)


def arrives(topology: Irregular, tables: "np.ndarray", switch: int, to: int) -> bool:
    for _ in range(topology.switches):
        if switch != to:
            end = topology.across(switch, tables[switch, to])
            assert end is not None
            switch = end[0]
    return switch == to
