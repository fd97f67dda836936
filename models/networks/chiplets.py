"""Networks of several chiplets: each a topology or a graph of its own, joined by long links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources.abc import Traversable
from itertools import accumulate, count
from typing import Any, NamedTuple

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from syncfabric.models.errors import SpecError, UnknownNameError
from syncfabric.models.networks.explain import did_you_mean, show
from syncfabric.models.networks.families import named
from syncfabric.models.networks.family import MOST_PORTS
from syncfabric.models.networks.graph import read_graph
from syncfabric.models.networks.irregular import Irregular, Link, Place
from syncfabric.models.networks.long_links import MOST_ON_A_LINK, LongLinks
from syncfabric.models.networks.table import Name, Table, Text, Whole

__all__ = ["Bridge", "Chiplet", "Package", "packaged"]


class Chiplet(Table):
    """A network of its own in a package."""

    name: Name = Field(description="What bridges call it.")
    topology: Text | SkipJsonSchema[None] = Field(
        default=None, description='A topology by name, as "mesh-4x4".'
    )
    graph: Text | SkipJsonSchema[None] = Field(
        default=None, description="A GraphML file or edge list, in place of a topology."
    )
    nodes_per_switch: Whole | SkipJsonSchema[None] = Field(
        default=None, ge=1, le=15, description="Nodes at each switch of a topology; by default 1."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return f"network: chiplet {show(data.get('name', '?'))}: "


class Bridge(Table):
    """Links between switches of two chiplets."""

    between: tuple[Name, Name] = Field(description="The chiplets.")
    switches: tuple[tuple[Whole, Whole], ...] = Field(
        min_length=1, description="Of each link, the switch of either chiplet, by its own number."
    )
    registers: Whole = Field(
        default=0, ge=0, le=MOST_ON_A_LINK, description="Registers on each of them."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: bridges: "


class Package(NamedTuple):
    """Chiplets as one network."""

    network: Irregular
    long_links: tuple[LongLinks, ...]
    notes: tuple[str, ...]


def packaged(
    folder: Traversable,
    chiplets: Sequence[Chiplet],
    bridges: Sequence[Bridge],
    ports: int | None,
    interfaces: bool | None,
    registers: int,
) -> Package:
    """Put chiplets side by side, and join them.

    Switches, and nodes, are numbered through all chiplets in their order. A bridge takes the lowest
    port that is free.

    Parameters
    ----------
    folder : Traversable
        Where graph files are.
    chiplets : sequence of Chiplet
    bridges : sequence of Bridge
    ports : int, optional
        Of every switch; by default as many as are needed.
    interfaces : bool, optional
        Nodes are at the far end of a link, or in the switches; by default there only if all
        chiplets have them there.
    registers : int
        Of links that are not longer.

    Raises
    ------
    SpecError
        A chiplet cannot be made, or has another's name; a bridge names what is not there, or is
        not as long as another between its switches, or a switch has no port left.
    """
    names = [chiplet.name for chiplet in chiplets]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SpecError(
            f'network: two chiplets have the name "{min(twice)}"; give each a name of its own'
        )
    parts = [_made(folder, chiplet) for chiplet in chiplets]
    first = dict(zip(names, accumulate(map(len, parts), initial=0), strict=False))
    links: list[Link] = []
    homes: list[int] = []
    for begin, part in zip(first.values(), parts, strict=True):
        links += [((a + begin, p), (b + begin, q)) for (a, p), (b, q) in part.links]
        homes += [switch + begin for switch, _ in part.nodes]
    taken = {end for link in links for end in link}

    def free(switch: int) -> Place:
        """Return a switch's lowest port that is free, which it then is no more."""
        place = next((switch, p) for p in count() if (switch, p) not in taken)
        taken.add(place)
        return place

    lengths: dict[frozenset[int], int] = {}
    for bridge in bridges:
        for pair in bridge.switches:
            a, b = _ends(bridge, pair, names, first, parts)
            links.append((free(a), free(b)))
            if lengths.setdefault(frozenset((a, b)), bridge.registers) != bridge.registers:
                raise SpecError(
                    f"network: bridges: links between switches {pair[0]} and {pair[1]} of"
                    f" {bridge.between[0]} and {bridge.between[1]} have different registers; give"
                    " them the same"
                )
    by_length: dict[int, list[tuple[int, int]]] = {}
    for ends, length in lengths.items():
        if length > registers:
            by_length.setdefault(length, []).append((min(ends), max(ends)))
    long = (LongLinks(registers=n, between=tuple(pairs)) for n, pairs in by_length.items())
    switches = sum(map(len, parts))
    if interfaces is None:
        interfaces = homes != [*range(switches)]
    nodes = tuple(map(free, homes)) if interfaces else ()
    most = max(2, 1 + max(port for _, port in taken) + (not interfaces))
    if most > (ports or MOST_PORTS):
        raise SpecError(
            f"network: chiplets and bridges need {most} ports a switch, more than"
            f" {ports or MOST_PORTS}; join other switches"
        )
    network = Irregular(ports or most, switches, tuple(links), nodes)
    if not interfaces:
        network = replace(network, nodes=tuple((home, 0) for home in homes)).inside()
    notes = (
        f"chiplet {name} has switches {first[name]} to {first[name] + len(part) - 1}"
        for name, part in zip(names, parts, strict=True)
    )
    return Package(network, tuple(long), tuple(notes))


def _made(folder: Traversable, chiplet: Chiplet) -> Irregular:
    """Return a chiplet's own switches, links and nodes."""
    if (chiplet.topology is None) == (chiplet.graph is None):
        raise SpecError(f'network: chiplet "{chiplet.name}": give it a topology or a graph')
    if chiplet.topology is not None:
        return named(chiplet.topology).network(chiplet.nodes_per_switch, None, True)
    if chiplet.nodes_per_switch is not None:
        raise SpecError(
            f'network: chiplet "{chiplet.name}": nodes_per_switch goes with topology; remove it'
        )
    return read_graph(folder, chiplet.graph or "", None, True)


def _ends(
    bridge: Bridge,
    pair: tuple[int, int],
    names: Sequence[str],
    first: Mapping[str, int],
    parts: Sequence[Irregular],
) -> tuple[int, int]:
    """Return the switches that a link of a bridge joins, as the whole network numbers them."""
    ends = []
    for name, switch in zip(bridge.between, pair, strict=True):
        if name not in first:
            raise UnknownNameError(
                f'network: bridges: there is no chiplet "{name}"; {did_you_mean(name, names)}'
            )
        size = len(parts[names.index(name)])
        if not 0 <= switch < size:
            raise SpecError(
                f"network: bridges: chiplet {name} has no switch {switch}; switches must be"
                f" 0..{size - 1}"
            )
        ends.append(first[name] + switch)
    if bridge.between[0] == bridge.between[1]:
        raise SpecError(
            f"network: bridges: one leads from chiplet {bridge.between[0]} to itself; join two"
        )
    return ends[0], ends[1]
