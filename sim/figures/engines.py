"""Barriers of collective engines, in cycles, measured on the RTL: alone, and many at once."""

from collections.abc import Iterator

from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.figures.latency import latency_row
from syncfabric.sim.figures.row import Row

__all__ = ["at_once", "engine_latency"]

TWELVE = 60
"""Cycles in which twelve groups at once are to be over."""
CLUSTER = "ports = 8\nrandom = {{ switches = {}, nodes = {}, connectivity = 0.75, seed = 1 }}"


def engine_latency() -> Iterator[Row]:
    """Collective engines: cycles from arrive to released, alone and many at once."""
    for links in ("own", "shared"):
        for side in (4, 8, 16):
            yield _alone(f"{side}x{side}, {links} links", _mesh(side, f'message_links = "{links}"'))
    for switches, nodes in ((19, 64), (75, 256)):
        keys = 'kind = "irregular"\nsetup = "local"\n' + CLUSTER.format(switches, nodes)
        yield _alone(f"cluster-{switches}", _network(keys))
    for groups in (4, 8, 12, 16):
        latest = at_once(_mesh(4, "channels = 0\ndata_bits = 4", groups))
        row = f"4x4, {groups} groups of all members at once, last release", f"{latest}"
        yield Row(*row, f"<= {TWELVE}", latest <= TWELVE) if groups == 12 else Row(*row)


def _mesh(side: int, keys: str, groups: int = 1) -> NetworkSpec:
    return _network(f'kind = "mesh"\nwidth = {side}\nheight = {side}\n{keys}', groups)


def _network(keys: str, groups: int = 1) -> NetworkSpec:
    """Return a network with as many groups of all nodes."""
    everybody = (f'[[group]]\nid = {i + 1}\nmembers = "all"\n' for i in range(groups))
    head = f'name = "figure"\n[network]\ntransport = "link"\n{keys}\n'
    return loads(head + "".join(everybody))


def _alone(name: str, spec: NetworkSpec) -> Row:
    """Run barriers of all nodes, each member last once."""
    result = run(make_plan(spec), episodes=len(spec.groups[0].members))
    if not result.ok:
        raise RuntimeError(f"{name}: {result.reason}")
    return latency_row(f"{name}, all members", result.groups[0])


def at_once(spec: NetworkSpec) -> int:
    """Return the cycles from the arrival of all members of all groups to the last release."""
    job = Job(((make_plan(spec), Scenario(episodes=1, policy="together")),))
    (outcome,) = simulate_tiles(job, build_fabric(spec.network)).outcomes
    if outcome.mismatches or outcome.hang:
        raise RuntimeError(f"{spec.network}: {outcome.mismatches or outcome.hang}")
    return max(group.latency[0] for group in outcome.groups)
