"""The commands that set a group up, or kill it, when no manager may reach all of its routers.

Each manager asks the routers that it reaches; the one that reaches the root comes last, for GO
starts there. A command's last entry is sent with ``fire``, so a part without the root ends with a
*stand-in*: a register of a GID that nobody has, at a router outside the part, without parent and
children. GO makes it ready and goes nowhere; it is cleared at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from syncfabric.models.errors import PlanError
from syncfabric.models.messages import REQUEST, Request
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.plan import BarrierPlan, IrregularGroupPlan, MessageGroupPlan
from syncfabric.models.planning.reach_managers import Reach, reaches
from syncfabric.models.planning.requests import manager_entries
from syncfabric.models.planning.tree import distribute_turn

__all__ = ["Errand", "Owners", "kill_errands", "left_alone", "routers_of", "set_up_errands"]

LOOKED_AT = 256
"""Nodes that are looked at for one whose manager could reach more."""

Entry = tuple[int, ...]

Owners = Mapping[int, int]
"""The manager's node that set a register up, by router."""


@dataclass(frozen=True)
class Errand:
    """One command of a manager.

    Parameters
    ----------
    node : int
        The manager's.
    operation : Request
    routers : tuple of int
        Whom it asks, in order.
    entries : tuple of tuple of int
        As of ``manager_entries``.
    """

    node: int
    operation: Request
    routers: tuple[int, ...]
    entries: tuple[Entry, ...]


def routers_of(plan: BarrierPlan, group: MessageGroupPlan) -> list[int]:
    """Return the routers or switches that managers ask for a group, the root last."""
    network = plan.spec.register_network
    unpack = network.layout.header.unpack
    found = []
    for entry in manager_entries(plan, group, epoch=0):
        header = unpack(entry[0])
        if isinstance(network, MeshSpec):
            found.append(network.mesh.index((header["x"], header["y"])))
        else:
            found.append(header["switch"])
    return found


def set_up_errands(
    plan: BarrierPlan, group: MessageGroupPlan, epoch: int, reach: Sequence[Reach]
) -> list[Errand]:
    """Return the commands that set a group up, in order.

    Parameters
    ----------
    plan : BarrierPlan
        Around what is dead.
    group : MessageGroupPlan
    epoch : int
    reach : sequence of Reach

    Raises
    ------
    PlanError
        Managers do not reach all routers of its tree, or there is no room for a stand-in.
    """
    routers = routers_of(plan, group)
    if not routers:
        return []
    entries = dict(zip(routers, manager_entries(plan, group, epoch), strict=True))
    team = _team(group.id, plan, routers, reach)
    errands: list[Errand] = []
    left = list(routers)
    shares: list[tuple[Reach, list[int]]] = []
    for one in reversed(team):  # the root's manager takes what it can, and goes last
        share = [router for router in left if router in one.headers]
        left = [router for router in left if router not in one.headers]
        shares.insert(0, (one, share))
    for one, share in shares[:-1]:
        stand_in = _stand_in(plan, group.id, one, share)
        asked = [*share, stand_in[0]]
        words = [_readdressed(one, router, entries[router]) for router in share]
        errands.append(_errand(one, Request.SETUP, asked, [*words, stand_in[1]]))
        errands.append(_errand(one, Request.CLEAR, [stand_in[0]], [stand_in[1]]))
    last, share = shares[-1]
    words = [_readdressed(last, router, entries[router]) for router in share]
    return [*errands, _errand(last, Request.SETUP, share, words)]


def kill_errands(
    plan: BarrierPlan, group: MessageGroupPlan, owners: Owners, reach: Sequence[Reach]
) -> list[Errand]:
    """Return the commands that kill what managers still reach of a group of the old plan."""
    routers = routers_of(plan, group)
    entries = dict(zip(routers, manager_entries(plan, group, epoch=0), strict=True))
    errands = []
    for one in reach:
        share = [r for r in routers if owners[r] == one.node and r in one.headers]
        if share:
            words = [_readdressed(one, router, entries[router]) for router in share]
            errands.append(_errand(one, Request.KILL, share, words))
    return errands


def left_alone(
    plan: BarrierPlan, group: MessageGroupPlan, killed: Collection[int], dead: Dead
) -> list[int]:
    """Return the living routers of an old tree that neither KILL nor BROKEN reaches.

    Their registers are killed over the config port. On a mesh with watchdogs these are all that no
    manager kills, for a register that has tripped does not hear BROKEN (F5).
    """
    network = plan.spec.register_network
    deaf = isinstance(network, MeshSpec) and network.watchdog
    gone = set(killed)
    front = list(killed)
    below = {} if deaf else _below(plan, group, dead)
    while front:
        for child in below.get(front.pop(), ()):
            if child not in gone:
                gone.add(child)
                front.append(child)
    return [r for r in routers_of(plan, group) if r not in gone and r not in dead.routers]


def _below(plan: BarrierPlan, group: MessageGroupPlan, dead: Dead) -> dict[int, list[int]]:
    """Return by router those that it tells BROKEN over links that live."""
    network = plan.spec.register_network
    below: dict[int, list[int]] = {}
    if isinstance(group, IrregularGroupPlan):
        tree = group.tree
        rows = zip(
            tree.switches.tolist(), tree.parent.tolist(), tree.down_port.tolist(), strict=True
        )
        for switch, place, port in rows:
            parent = int(tree.switches[place])
            if place >= 0 and (parent, port) not in dead.links:
                below.setdefault(parent, []).append(switch)
        return below
    assert isinstance(network, MeshSpec)
    mesh = network.mesh
    for register in group.registers():
        for port, child in enumerate(register.children):
            if child is None:
                continue
            way = mesh.path(register.node, child, distribute_turn(Port(port)))
            if not any((mesh.index(node), out) in dead.links for node, out in way):
                below.setdefault(mesh.index(register.node), []).append(mesh.index(child))
    return below


def _team(
    gid: int, plan: BarrierPlan, routers: Sequence[int], reach: Sequence[Reach]
) -> list[Reach]:
    """Return the fewest managers that reach all routers, one that reaches the root last."""
    root, every = routers[-1], set(routers)
    living = [one for one in reach if one.headers]
    for count in range(1, len(living) + 1):
        for team in combinations(living, count):
            if every <= set().union(*(one.headers for one in team)):
                last = max(
                    (one for one in team if root in one.headers),
                    key=lambda one: len(every & one.headers.keys()),
                )
                return [*(one for one in team if one is not last), last]
    raise _refusal(gid, plan, [r for r in routers if not any(r in one.headers for one in living)])


def _refusal(gid: int, plan: BarrierPlan, left: Sequence[int]) -> PlanError:
    """Name the routers that no manager can ask, and a node whose manager could."""
    network = plan.spec.register_network
    topology = network.topology
    nodes = range(min(LOOKED_AT, len(topology.nodes)))
    found = reaches(network, plan.without, [topology.node(node) for node in nodes])
    best = max(found, key=lambda one: sum(router in one.headers for router in left))
    remedy = "name managers elsewhere"
    if any(router in best.headers for router in left):
        remedy = f"name a manager at {topology.node(best.node)} from the start"
    if isinstance(network, MeshSpec):
        what, names = "router", ", ".join(str(network.mesh.node(r)) for r in left)
    else:
        what, names = "switch", ", ".join(map(str, left))
    many = ("es" if what == "switch" else "s") if len(left) > 1 else ""
    return PlanError(
        f"group {gid}: no manager can ask {what}{many} {names} and hear the reply without "
        f"{plan.without}; {remedy}"
    )


def _stand_in(plan: BarrierPlan, gid: int, one: Reach, share: Collection[int]) -> tuple[int, Entry]:
    """Return a router with room that a manager reaches, and the entry of a register there."""
    network = plan.spec.register_network
    used = {group.id for group in plan.groups}
    spare = next((g for g in range(255, -1, -1) if g not in used), None)
    load = _load(plan)
    room = [
        router
        for router in one.headers
        if router not in share and load.get(router, 0) < network.barrier_registers
    ]
    if spare is None or not room:
        lacks = "GID" if spare is None else "router with a free register"
        raise PlanError(
            f"group {gid}: setting it up by several managers needs a spare {lacks} for a moment, "
            "and there is none; set barrier_registers higher in [network]"
        )
    control = {"gid": spare, "root": 1}
    request = REQUEST.pack({**control, "epoch": 0})
    images = len(next(iter(_images(plan))))
    return room[0], (one.headers[room[0]], request, *([0] * images))


def _images(plan: BarrierPlan) -> Iterator[list[int]]:
    """Yield the image words of registers at routers."""
    for group in plan.message_groups:
        for entry in manager_entries(plan, group, epoch=0):
            yield list(entry[2:])


def _load(plan: BarrierPlan) -> dict[int, int]:
    """Return how many groups have a register at each router."""
    load: dict[int, int] = {}
    for group in plan.message_groups:
        for router in routers_of(plan, group):
            load[router] = load.get(router, 0) + 1
    return load


def _readdressed(one: Reach, router: int, entry: Entry) -> Entry:
    return (one.headers[router], *entry[1:])


def _errand(
    one: Reach, operation: Request, routers: Sequence[int], entries: Sequence[Entry]
) -> Errand:
    return Errand(one.node, operation, tuple(routers), tuple(entries))
