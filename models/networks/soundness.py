"""Irregular networks written out: whether ports, links, datelines and tables can be built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import show
from syncfabric.models.networks.irregular import MOST_SWITCHES, Irregular, Link, Place
from syncfabric.models.networks.table import Table, Whole, WholePlace

__all__ = [
    "WrittenOut",
    "check_dateline_channels",
    "check_datelines",
    "check_tables",
    "check_topology",
]

SHOWN = 4
"""Switches, or parts, that an error names; of more it gives the number."""


def check_topology(network: Irregular) -> None:
    """Refuse a network whose links and nodes do not fit its switches, or do not hang together.

    Raises
    ------
    SpecError
        A port that does not exist or is used twice, a link from a switch to itself, no node, or
        switches without a way between them.
    """
    if not network.nodes:
        raise SpecError("network: nodes is empty; name at least one [switch, port]")
    switches, ports = range(network.switches), range(network.ports)
    taken: set[Place] = set()
    for a, b in network.links:
        if a[0] == b[0]:
            raise SpecError(
                f"network: link {show((a, b))} leads from switch {a[0]} to itself; "
                "link two switches"
            )
    for place, what, value in _uses(network):
        if place[0] not in switches:
            raise SpecError(
                f"network: {what} {show(value)}: there is no switch {place[0]}; "
                f"switches must be {_span(network.switches)}"
            )
        if place[1] not in ports:
            raise SpecError(
                f"network: {what} {show(value)}: switch {place[0]} has no port {place[1]}; "
                f"ports must be {_span(network.ports)}"
            )
        if place in taken:
            raise SpecError(_used_twice(network, place))
        taken.add(place)
    _check_connected(network)


def _uses(network: Irregular) -> Iterator[tuple[Place, str, Link | Place]]:
    for link in network.links:
        for place in link:
            yield place, "link", link
    for node in network.nodes:
        yield node, "node", node


def _used_twice(network: Irregular, place: Place) -> str:
    users = [f"{what} {show(value)}" for used, what, value in _uses(network) if used == place]
    if users[0] == users[1]:
        return f"network: {users[0]} is listed twice; list it once"
    return (
        f"network: port {place[1]} of switch {place[0]} is used twice, by {users[0]} and "
        f"{users[1]}; give each a port of its own"
    )


def _check_connected(network: Irregular) -> None:
    # networkx takes a while to import, which a mesh need not wait for.
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(network.switches))
    graph.add_edges_from((a[0], b[0]) for a, b in network.links)
    parts = sorted(map(sorted, nx.connected_components(graph)), key=lambda part: (-len(part), part))
    if len(parts) == 1:
        return
    named = [_part(part) for part in parts[:SHOWN]]
    if len(parts) > SHOWN:
        named.append(f"{len(parts) - SHOWN} more")
    raise SpecError(
        f"network: the switches are not connected: {len(parts)} parts have no link between them "
        f"({'; '.join(named)}); link every part to another"
    )


def _part(switches: Sequence[int]) -> str:
    shown = ", ".join(map(str, switches[:SHOWN])) + ", …" * (len(switches) > SHOWN)
    return f"{len(switches)} switch{'es' * (len(switches) > 1)}: {shown}"


def check_datelines(network: Irregular, datelines: Sequence[Place]) -> None:
    """Refuse a dateline that is not at a link between switches.

    Raises
    ------
    SpecError
        It is not, or is listed twice.
    """
    for place, count in Counter(datelines).items():
        if network.across(*place) is None:
            raise SpecError(
                f"network: dateline {show(place)} is not at a link; name the [switch, port] by "
                "which packets leave for another switch"
            )
        if count > 1:
            raise SpecError(f"network: dateline {show(place)} is listed twice; list it once")


def check_tables(network: Irregular, tables: Sequence[Sequence[int]]) -> None:
    """Refuse routing tables that are not square, or lead out of the network.

    Where the ways lead, and whether they can deadlock, is judged when the network is planned.

    Raises
    ------
    SpecError
        A row or an entry is missing, or names a port without a link to a switch.
    """
    count = network.switches
    if len(tables) != count or any(len(row) != count for row in tables):
        raise SpecError(
            f"network: tables must have {count} rows of {count} ports, one for each switch"
        )
    linked = np.zeros((count, network.ports), dtype=bool)
    links = network.links_array
    linked[links[:, 0], links[:, 1]] = linked[links[:, 2], links[:, 3]] = True
    entries = np.array(tables, dtype=np.int64)
    inside = (entries >= 0) & (entries < network.ports)
    leads = inside & linked[np.arange(count)[:, None], np.where(inside, entries, 0)]
    own = np.eye(count, dtype=bool)
    wrong = np.argwhere(np.where(own, entries != -1, ~leads))
    if not len(wrong):
        return
    switch, destination = map(int, wrong[0])
    if switch == destination:
        raise SpecError(f"network: tables: switch {switch} needs no port to itself; write -1")
    ports = np.flatnonzero(linked[switch]).tolist()
    raise SpecError(
        f"network: tables: switch {switch} sends packets for switch {destination} by port "
        f"{entries[switch, destination]}, which leads to no switch; its ports that do are "
        f"{', '.join(map(str, ports))}"
    )


def _span(count: int) -> str:
    return f"0..{count - 1}" if count > 1 else "0"


TableEntry = Annotated[Whole, Field(ge=-1, le=15)]


class WrittenOut(Table):
    """Keys of an irregular network whose links and nodes are listed."""

    switches: Whole = Field(ge=1, le=MOST_SWITCHES, description="How many switches there are.")
    links: tuple[tuple[WholePlace, WholePlace], ...] = Field(
        description="Pairs of [switch, port] that a link joins."
    )
    nodes: tuple[WholePlace, ...] = Field(description="Where the nodes sit, as [switch, port].")
    tables: tuple[tuple[TableEntry, ...], ...] | None = Field(
        default=None, description="Output port by switch and destination switch; own: -1."
    )
    notes: tuple[str, ...] = Field(
        default=(), description="What a reader of the plan should know of how it was made."
    )

    def _check_written(self, topology: Irregular, datelines: tuple[WholePlace, ...]) -> None:
        """Refuse links, nodes, datelines and tables that cannot be."""
        check_topology(topology)
        check_datelines(topology, datelines)
        if self.tables is not None:
            check_tables(topology, self.tables)


def check_dateline_channels(datelines: tuple[WholePlace, ...], channels: int) -> None:
    """Refuse datelines without pairs of channels.

    Raises
    ------
    SpecError
        There is no channel v | 1 for each channel v.
    """
    if datelines and channels % 2:
        raise SpecError(
            f"network: channels = {channels} does not go with datelines, where packets "
            "go over from channel 0 to 1 or from 2 to 3; set channels = 2 or 4"
        )
