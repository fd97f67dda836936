"""Nodes, groups and networks in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import AnySpec

if TYPE_CHECKING:
    from syncfabric.models.collectives.task import Rules
    from syncfabric.models.collectives.verdict import Verdict
    from syncfabric.models.planning.group_plan import GroupPlan


def count(number: int, thing: str, things: str = "") -> str:
    """Return ``1 member`` or ``14 members``."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def node_words(node: int | Sequence[int]) -> str:
    """Return a node as users write it."""
    return str(node) if isinstance(node, int) else f"({', '.join(map(str, node))})"


def root_words(group: "GroupPlan") -> str:
    """Return where a group's tree begins."""
    if group.root is None:
        return f"root switch {group.root_switch}"
    return f"root {'' if group.root_node is None else 'node '}{node_words(group.root)}"


def hop_words(group: "GroupPlan") -> str:
    """Return how long a group's tree or ring is."""
    if not group.static:
        return f"height {group.height} · longest path {count(group.longest_path, 'hop')}"
    if not group.links:
        return "no links"
    links = count(group.longest_path, "link")
    return f"tree, {links} deep" if group.edges else f"ring of {links}"


def kind_words(network: AnySpec) -> str:
    """Return what a network is: ``8x8 mesh``."""
    return network.title


def network_words(network: AnySpec) -> str:
    """Return what a network is, and its size."""
    topology = network.topology
    if isinstance(topology, Mesh):
        return kind_words(network)
    nodes, links = count(len(topology.nodes), "node"), count(len(topology.links), "link")
    return f"{kind_words(network)}, {nodes}, {links}"


def rules_words(rules: "Rules") -> str:
    """Return the rules of a schedule: ``all ports, single-use, wormhole``."""
    ports = "all ports" if rules.ports == "all" else f"ports {rules.ports}"
    return f"{ports}, {rules.one_port}, {rules.switching}"


def steps_words(verdict: "Verdict") -> str:
    """Return what a checked schedule serves, and how far its paths are from minimal."""
    schedule, report = verdict.schedule, verdict.report
    routing = "minimal" if report.detour == 0 else f"up to {report.detour} hops longer than minimal"
    return (
        f"{schedule.messages:,} messages, {report.served:,} of {report.required:,} served; "
        f"routing {routing}"
    )
