"""What of a network is dead: links, nodes and switches; and which groups it takes apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import GroupSpec

CARDINAL = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
PLACE = re.compile(r"\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*")


@dataclass(frozen=True)
class Dead:
    """Dead links, nodes and switches.

    Parameters
    ----------
    names : tuple of str
        What is dead, as ``--without`` names it.
    routers : frozenset of int
        Dead routers of a mesh, or switches, by number.
    nodes : frozenset of int
        Nodes whose process is cut off, by number.
    links : frozenset of (router, port)
        Outputs, and so inputs too, by which nothing goes any more; those of dead routers and the
        ports of dead nodes among them.
    """

    names: tuple[str, ...] = ()
    routers: frozenset[int] = frozenset()
    nodes: frozenset[int] = frozenset()
    links: frozenset[Place] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.names)

    def __str__(self) -> str:
        return " ".join(self.names)

    @classmethod
    def of(cls, topology: Mesh | Irregular, names: Iterable[str]) -> Dead:
        """Look up what names mean on a network.

        Parameters
        ----------
        topology : Mesh or Irregular
        names : iterable of str
            ``x,y`` is a node of a mesh, with its router; ``switch,port`` a node of an irregular
            network, with its switch if it is inside, and ``switch`` one of its switches, with its
            nodes. Two places with a ``-``
            between are a link: two neighbours of a mesh, or both ports of a link.

        Raises
        ------
        SpecError
            There is no such link or node.
        """
        graph = topology.graph
        routers: set[int] = set()
        nodes: set[int] = set()
        links: set[Place] = set()
        names = tuple(dict.fromkeys(name.replace(" ", "") for name in names))
        for name in names:
            router, ports = (
                _on_mesh(topology, name)
                if isinstance(topology, Mesh)
                else _on_irregular(topology, name)
            )
            if router is not None:
                routers.add(router)
                nodes |= {router} if graph.own else set()
            for place in ports:
                node, far = graph.node_at(*place), graph.across(*place)
                nodes |= set() if node is None else {node}
                links |= {end for end in (place, far) if end and (far or node is not None)}
        return cls(names, frozenset(routers), frozenset(nodes), frozenset(links))

    def alive(
        self, topology: Mesh | Irregular, groups: Sequence[GroupSpec]
    ) -> tuple[tuple[GroupSpec, ...], dict[int, tuple[Place, ...]]]:
        """Leave members on dead nodes out.

        Returns
        -------
        groups : tuple of GroupSpec
            With the members that are left; a group without any is not among them.
        left_out : dict of int to tuple of Place
            Members that are left out, by group, where there are any.
        """
        living, left_out = [], {}
        for group in groups:
            lost = tuple(m for m in group.members if topology.index(m) in self.nodes)
            left = tuple(m for m in group.members if topology.index(m) not in self.nodes)
            if lost:
                left_out[group.id] = lost
            if left:
                living.append(group.model_copy(update={"members": left}) if lost else group)
        return tuple(living), left_out


NOTHING = Dead()
"""All is alive."""


def _on_mesh(mesh: Mesh, name: str) -> tuple[int | None, list[Place]]:
    """Return the router that a name means, if it does, and the ports that die with it."""
    places = _places(name)
    if places is None or len(places) > 2:
        raise SpecError(
            f'--without: "{name}" is no node or link of a {mesh}; give x,y for a node, or '
            "x,y-x,y for the link between two neighbours"
        )
    for place in places:
        if not mesh.contains(place):
            raise SpecError(
                f"--without {name}: {place} is outside the {mesh}; x must be 0.."
                f"{mesh.width - 1}, y 0..{mesh.height - 1}"
            )
    here, *there = places
    index = mesh.index(here)
    if not there:
        return index, [(index, int(port)) for port in CARDINAL]
    port = next((p for p in CARDINAL if mesh.neighbour(here, p) == there[0]), None)
    if port is None:
        raise SpecError(
            f"--without {name}: {here} and {there[0]} are no neighbours; name the two ends of "
            "one link"
        )
    return None, [(index, int(port))]


def _on_irregular(topology: Irregular, name: str) -> tuple[int | None, list[Place]]:
    """Return the switch that a name means, if it does, and the ports that die with it."""
    if re.fullmatch(r"[0-9]{1,9}", name):
        switch = int(name)
        if switch >= topology.switches:
            raise SpecError(
                f"--without: there is no switch {switch}; switches are 0..{topology.switches - 1}"
            )
        return _switch(topology, switch)
    places = _places(name)
    if places is None or len(places) > 2:
        raise SpecError(
            f'--without: "{name}" is no switch, node or link; give a switch\'s number, '
            "switch,port for a node, or switch,port-switch,port for a link"
        )
    if len(places) == 1:
        if not topology.contains(places[0]):
            raise SpecError(
                f"--without: there is no node {places[0]}; for a link name both of its ports, "
                "for a switch its number"
            )
        if topology.own:
            return _switch(topology, places[0][0])
    elif topology.across(*places[0]) != places[1]:
        raise SpecError(
            f"--without: no link joins {places[0]} and {places[1]}; name the two ports of one link"
        )
    return None, places[:1]


def _switch(topology: Irregular, switch: int) -> tuple[int, list[Place]]:
    """Return a switch, and its ports; that of a node inside is none that a link could have."""
    return switch, [(switch, port) for port in range(topology.ports - topology.own)]


def _places(name: str) -> list[Place] | None:
    """Return the places that a name joins; None if it is no such name."""
    matches = [PLACE.fullmatch(part) for part in name.split("-")]
    return [(int(m[1]), int(m[2])) for m in matches if m] if all(matches) else None


def check_together(topology: Mesh | Irregular, dead: Dead, groups: Sequence[GroupSpec]) -> None:
    """Refuse a group, without members on dead nodes, that no tree or ring joins any more.

    Raises
    ------
    PlanError
        The first member that is cut off from most others.
    """
    graph = topology.graph
    part = graph.without(dead.links).parts().tolist()
    for group in groups:
        where = [part[graph.nodes[topology.index(member)][0]] for member in group.members]
        largest = max(where, key=lambda each: (where.count(each), -where.index(each)))
        for member, here in zip(group.members, where, strict=True):
            if here != largest:
                other = group.members[where.index(largest)]
                raise PlanError(
                    f"group {group.id}: member {member} cannot be reached from {other}, for no "
                    f"path is left without {dead}; take it out of the group"
                )
