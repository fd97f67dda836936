"""Routing tables: whether every packet that they route comes to its destination."""

from __future__ import annotations

import numpy as np

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.planning.tree import Ints

__all__ = ["OWN", "check_ways", "far_switches", "next_switches"]

OWN = -1
"""A switch's entry for itself."""


def check_ways(topology: Irregular, tables: Ints) -> None:
    """Refuse tables by which a packet never comes to its destination.

    Parameters
    ----------
    topology : Irregular
        The network.
    tables : array of int64, shape (q, q)
        Row s holds switch s's output port for each destination switch, ``OWN`` for itself; every
        port leads to a switch.

    Raises
    ------
    SpecError
        A way goes round in a cycle; it is named.
    """
    after = next_switches(topology, tables)
    columns, far = np.arange(len(after)), after
    # Doubled until it is more steps than there are switches: by then all have arrived, or never.
    for _ in range(len(after).bit_length()):
        far = far[far, columns]
    lost = np.argwhere(far != columns)
    if not len(lost):
        return
    start, to = lost[0].tolist()
    way = [start]
    while (switch := int(after[way[-1], to])) not in way:
        way.append(switch)
    cycle = " -> ".join(map(str, [*way[way.index(switch) :], switch]))
    raise SpecError(
        f"network: tables: packets for switch {to} go round in a cycle of switches, {cycle}; "
        f"lead one of these on to {to}"
    )


def next_switches(topology: Irregular, tables: Ints) -> Ints:
    """Return the switch that each entry leads to, shape (q, q); s itself for its own."""
    switches = np.arange(topology.switches)
    after: Ints = far_switches(topology)[switches[:, None], tables]
    after[switches, switches] = switches
    return after


def far_switches(topology: Irregular) -> Ints:
    """Return the switch across each link, by switch and port, shape (q, k); ``OWN`` where none."""
    ends = np.full((topology.switches, topology.ports), OWN, dtype=np.int64)
    links = topology.links_array
    ends[links[:, 0], links[:, 1]] = links[:, 2]
    ends[links[:, 2], links[:, 3]] = links[:, 0]
    return ends
