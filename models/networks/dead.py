"""What of a network is dead: links, nodes and switches; and which groups it takes apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.irregular import Irregular, Link, Place
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import GroupSpec

__all__ = ["NOTHING", "Dead", "check_together", "linked", "parts"]

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
            network, and ``switch`` one of its switches, with its nodes. Two places with a ``-``
            between are a link: two neighbours of a mesh, or both ports of a link.

        Raises
        ------
        SpecError
            There is no such link or node.
        """
        looked_up = _OnMesh(topology) if isinstance(topology, Mesh) else _OnIrregular(topology)
        routers: set[int] = set()
        nodes: set[int] = set()
        links: set[Place] = set()
        told = tuple(dict.fromkeys(name.replace(" ", "") for name in names))
        for name in told:
            looked_up.look(name, routers, nodes, links)
        return cls(told, frozenset(routers), frozenset(nodes), frozenset(links))

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

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The directed links of a mesh as ``MeshLinks`` numbers them."""
        return frozenset(4 * router + port for router, port in self.links)


NOTHING = Dead()
"""All is alive."""


def linked(topology: Mesh | Irregular, dead: Dead) -> Irregular:
    """Return routers or switches with the links that are left; a mesh's have its ports."""
    if isinstance(topology, Irregular):
        links = [link for link in topology.links if link[0] not in dead.links]
        return Irregular(topology.ports, topology.switches, tuple(links), topology.nodes)
    found: list[Link] = []
    for index, node in enumerate(topology.nodes):
        for port in (Port.EAST, Port.NORTH):
            other = topology.neighbour(node, port)
            if other is not None and (index, port) not in dead.links:
                found.append(((index, port), (topology.index(other), port.opposite)))
    return Irregular(len(CARDINAL), len(topology.nodes), tuple(found), ())


class _OnMesh:
    """Names on a mesh."""

    def __init__(self, mesh: Mesh) -> None:
        self._mesh = mesh

    def look(self, name: str, routers: set[int], nodes: set[int], links: set[Place]) -> None:
        mesh = self._mesh
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
        if len(places) == 1:
            index = mesh.index(places[0])
            routers.add(index)
            nodes.add(index)
            for side in CARDINAL:
                self._cut(places[0], side, links)
            return
        here, there = places
        port = next((p for p in CARDINAL if mesh.neighbour(here, p) == there), None)
        if port is None:
            raise SpecError(
                f"--without {name}: {here} and {there} are no neighbours; name the two ends of "
                "one link"
            )
        self._cut(here, port, links)

    def _cut(self, node: Place, port: Port, links: set[Place]) -> None:
        other = self._mesh.neighbour(node, port)
        if other is not None:
            links.add((self._mesh.index(node), int(port)))
            links.add((self._mesh.index(other), int(port.opposite)))


class _OnIrregular:
    """Names on an irregular network."""

    def __init__(self, topology: Irregular) -> None:
        self._topology = topology

    def look(self, name: str, routers: set[int], nodes: set[int], links: set[Place]) -> None:
        topology = self._topology
        if re.fullmatch(r"[0-9]{1,9}", name):
            switch = int(name)
            if switch >= topology.switches:
                raise SpecError(
                    f"--without: there is no switch {switch}; switches are 0.."
                    f"{topology.switches - 1}"
                )
            routers.add(switch)
            for port in range(topology.ports):
                self._cut((switch, port), nodes, links)
            return
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
        elif topology.across(*places[0]) != places[1]:
            raise SpecError(
                f"--without: no link joins {places[0]} and {places[1]}; name the two ports of one "
                "link"
            )
        self._cut(places[0], nodes, links)

    def _cut(self, place: Place, nodes: set[int], links: set[Place]) -> None:
        """Cut what is on a port."""
        node, far = self._topology.node_at(*place), self._topology.across(*place)
        if node is not None:
            nodes.add(node)
        if node is not None or far is not None:
            links.add(place)
        if far is not None:
            links.add(far)


def _places(name: str) -> list[Place] | None:
    """Return the places that a name joins; None if it is no such name."""
    matches = [PLACE.fullmatch(part) for part in name.split("-")]
    return [(int(m[1]), int(m[2])) for m in matches if m] if all(matches) else None


def parts(topology: Irregular) -> list[int]:
    """Return for each switch the lowest-numbered one that it can reach."""
    part = [-1] * topology.switches
    indptr, neighbour = topology.indptr.tolist(), topology.neighbour.tolist()
    for start in range(len(part)):
        if part[start] >= 0:
            continue
        part[start], stack = start, [start]
        while stack:
            here = stack.pop()
            for there in neighbour[indptr[here] : indptr[here + 1]]:
                if part[there] < 0:
                    part[there] = start
                    stack.append(there)
    return part


def check_together(
    topology: Mesh | Irregular, left: Irregular, dead: Dead, groups: Sequence[GroupSpec]
) -> None:
    """Refuse a group whose members no tree or ring joins any more.

    Parameters
    ----------
    topology : Mesh or Irregular
        The whole network.
    left : Irregular
        Its routers or switches with the links that are left; see ``linked``.
    dead : Dead
    groups : sequence of GroupSpec
        Without members on dead nodes.

    Raises
    ------
    PlanError
        The first member that is cut off from most others.
    """
    part = parts(left)

    def island(member: Place) -> int:
        return part[topology.index(member) if isinstance(topology, Mesh) else member[0]]

    for group in groups:
        where = [island(member) for member in group.members]
        largest = max(where, key=lambda each: (where.count(each), -where.index(each)))
        for member, here in zip(group.members, where, strict=True):
            if here != largest:
                other = group.members[where.index(largest)]
                raise PlanError(
                    f"group {group.id}: member {member} cannot be reached from {other}, for no way "
                    f"is left without {dead}; take it out of the group"
                )
