"""Whether a network has room for groups that come and go beside its own."""

from __future__ import annotations

from collections import Counter

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import EngineSpec, NetworkSpec

__all__ = ["check_churn", "free_gids"]


def free_gids(spec: NetworkSpec) -> list[int]:
    """Return the group numbers that a network's own groups leave."""
    return sorted(set(range(256)) - {group.id for group in spec.groups})


def check_churn(spec: NetworkSpec) -> None:
    """Refuse a network on which no group can come and go.

    Raises
    ------
    SpecError
        Its groups are not set up by managers, it has wires alone, or they leave no room.
    """
    if isinstance(spec.network, EngineSpec):
        _check_engines(spec, spec.network)
        return
    network = spec.register_network
    if not network.managed:
        raise SpecError(
            f'churn: groups of {spec.name} are set up with setup = "{network.setup}", not by '
            'packets; set setup = "manager" in [network]'
        )
    if not network.has_messages:
        raise SpecError(
            f'churn: barriers of {spec.name} are on wires alone (sync = "wires"), and groups that '
            'come and go are messages; set sync = "both" in [network]'
        )
    _check_gids(spec)
    used = Counter(member for group in spec.groups for member in group.members)
    registers = network.barrier_registers
    room = sum(used[node] < registers for node in network.topology.nodes)
    if room < 2:
        raise SpecError(
            f"churn: {room} of the nodes of {spec.name} can take another group, and a group that "
            f"comes and goes has two members; set barrier_registers above {registers}, or remove "
            "a group"
        )


def _check_gids(spec: NetworkSpec) -> None:
    if not free_gids(spec):
        raise SpecError(
            f"churn: the groups of {spec.name} have all 256 ids, so there is none for another; "
            "remove a group"
        )


def _check_engines(spec: NetworkSpec, network: EngineSpec) -> None:
    _check_gids(spec)
    if network.setup == "paper":
        raise SpecError(
            f"churn: groups of {spec.name} are not set up by software with setup = "
            f'"{network.setup}"; set setup = "manager" or "local" in [network]'
        )
    used = Counter(member for group in spec.groups for member in group.members)
    registers = network.port_registers
    room = sum(used[node] < registers for node in network.topology.nodes)
    if room < 2:
        raise SpecError(
            f"churn: {room} of the nodes of {spec.name} can take another group, and a group that "
            f"comes and goes has two members; set groups above {network.groups} in [network], or "
            "remove a group"
        )
