"""BTIN beside the multicast and the unicast scheme, and wires, on the same switches."""

import random
from collections.abc import Iterator

from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.scenario import Policy, Scenario, SchemeOutcome
from syncfabric.sim.drive.tiles import measure
from syncfabric.sim.figures.row import Row

__all__ = ["schemes"]

SCHEMES = ("btin", "multicast", "unicast")
ALL = (*SCHEMES, "wires")
MEASURED: dict[Policy, tuple[str, ...]] = {"together": SCHEMES, "last": ("btin", "unicast")}
"""Multicast tells a group GO, which it takes once."""
SIZES = (8, 16, 32, 64)
TIME = "paper 3.8, 3.3"
"""Multicast over BTIN in paper BTIN, 256 members on 75 and on 300 switches."""
TRAFFIC = {True: "paper 46.8, 88.6; counted 2.8, 2.6", False: "counted 7.0-7.4, 3.3-3.7"}
"""The same in links, and what counting the links of such networks gives (nodes' own or not)."""


def schemes() -> Iterator[Row]:
    """Schemes of irregular networks: BTIN, multicast, unicast, wires on cluster-19 (cycles)."""
    drawn = load("cluster-19").network.model_dump()
    for buffer_flits in (1, 8):
        keys = {"setup": "manager", "buffer_flits": buffer_flits}
        network = IrregularSpec.model_validate(drawn | keys)
        for count in SIZES:
            yield from _compare(network, _members(network, count))


def _members(network: IrregularSpec, count: int) -> tuple[Place, ...]:
    """Return random members, as ``{ random = count, seed = 1 }`` draws them, or all."""
    nodes = network.nodes
    return nodes if count == len(nodes) else tuple(random.Random(1).sample(nodes, count))


def _compare(network: IrregularSpec, members: tuple[Place, ...]) -> Iterator[Row]:
    """Measure the schemes with all members together, and with each member last once."""
    groups = (GroupSpec(id=1, members=members, planner="btin"),)
    plan = make_plan(NetworkSpec(name="figure", network=network, groups=groups))
    kinds = [(policy, scheme) for policy, names in MEASURED.items() for scheme in names]
    scenarios = [
        Scenario(episodes=len(members) if policy == "last" else 1, scheme=scheme, policy=policy)
        for policy, scheme in kinds
    ]
    found: dict[tuple[str, str], SchemeOutcome] = {}
    for kind, outcome in zip(kinds, measure(plan, scenarios), strict=True):
        assert outcome.scheme is not None
        found[kind] = outcome.scheme
    found |= {(policy, "wires"): on_wires for policy, on_wires in _on_wires(network, members)}
    name = f"{len(members)} members, buffer_flits {network.buffer_flits}"
    for policy, names in MEASURED.items():
        cycles = [max(found[policy, scheme].cycles) for scheme in (*names, "wires")]
        said = "all together" if policy == "together" else "worst, one late"
        yield Row(f"{name}, {said}", _beside(cycles), TIME if policy == "together" else "")
    for said, beside in (("with nodes' own", True), ("between switches", False)):
        links = [_links(found["together", scheme], beside=beside) for scheme in ALL]
        yield Row(f"{name}, links {said}", _beside(links), TRAFFIC[beside])


def _on_wires(
    network: IrregularSpec, members: tuple[Place, ...]
) -> Iterator[tuple[Policy, SchemeOutcome]]:
    """Yield what the same group takes on wires; its links are those of its tree, up and down."""
    wired = IrregularSpec.model_validate(network.model_dump() | {"wires": 1})
    groups = (GroupSpec(id=1, members=members),)
    plan = make_plan(NetworkSpec(name="figure", network=wired, groups=groups))
    (group,) = plan.engine_groups
    policies: dict[Policy, int] = {"together": 1, "last": len(members)}
    scenarios = [Scenario(episodes=n, policy=policy) for policy, n in policies.items()]
    for policy, outcome in zip(policies, measure(plan, scenarios), strict=True):
        cycles = outcome.groups[0].latency
        yield policy, SchemeOutcome(cycles, [2 * len(group.shape.edges)], [2 * len(members)])


def _links(measured: SchemeOutcome, *, beside: bool) -> int:
    return measured.between[0] + beside * measured.beside[0]


def _beside(values: list[int]) -> str:
    """Return the figures of BTIN and of all others, and these over BTIN's."""
    first, *others = values
    ratios = " / ".join(f"{other / first:.1f}" for other in others)
    return f"{' / '.join(map(str, values))}; {ratios} times"
