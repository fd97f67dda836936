"""Whole networks under Verilator, as fabrics of tiles, against the golden model in every cycle."""

import random

import pytest

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.clusters import drawn, random_cluster, ring, star
from tests.sim.drive.networks import SEED, check, make_job, mesh, random_network

NETWORKS = {
    "default": mesh(5, 5),
    "pipeline 0, two channels": mesh(3, 5, barrier_pipeline=0, channels=2, buffer_flits=4),
    "own links": mesh(
        5, 4, sync_links="own", channels=3, buffer_flits=3, data_bits=32, flit_bits=64
    ),
    "messages alone": mesh(4, 3, channels=0, data_bits=2),
    "serial": mesh(3, 3, operations="all", data_bits=9, barrier_registers=2, buffer_flits=2),
    "column, no data, wide flits": mesh(1, 7, buffer_flits=1, data_bits=0, flit_bits=128),
    "8x8": mesh(8, 8),
}

CLUSTERS = {
    "irregular, default": drawn(1, switches=12, extra=6, nodes=24, ports=6),
    "irregular, two channels": drawn(
        *(2, 8, 5, 16, 6), barrier_registers=2, buffer_flits=2, channels=2
    ),
    "irregular, one cycle a hop, turned by the node, serial": drawn(
        *(3, 8, 5, 16, 6),
        cycles_per_hop=1,
        turnaround="node",
        operations="all",
        data_bits=9,
        buffer_flits=3,
    ),
    "ring, datelines, turned by the node": ring(
        6, 2, turnaround="node", buffer_flits=4, flit_bits=64, data_bits=32
    ),
}
LONG: dict[str, RegisterSpec] = {
    "messages alone, serial, pipeline 0": mesh(
        *(5, 4),
        channels=0,
        barrier_registers=2,
        operations="all",
        barrier_pipeline=0,
    ),
    "serial, pipeline 0, own links": mesh(
        5, 4, operations="all", barrier_pipeline=0, sync_links="own"
    ),
    "tree, one cycle a hop, no data": drawn(
        *(4, 24, 0, 30, 4), cycles_per_hop=1, data_bits=0, channels=2, buffer_flits=8
    ),
    "star, serial, one cycle a hop": star(
        5, 2, barrier_registers=2, operations="all", cycles_per_hop=1
    ),
}


ALL: dict[str, RegisterSpec] = {**NETWORKS, **CLUSTERS}
SLOWER = {
    "messages alone",
    "ring, datelines, turned by the node",
    "irregular, two channels",
    "pipeline 0, two channels",
    "own links",
    "8x8",
    "column, no data, wide flits",
    "irregular, default",
    "serial",
    "irregular, one cycle a hop, turned by the node, serial",
}
"""Those that are built for few other tests, and run with ``-m long``."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in SLOWER)) for name in ALL]
)
def test_hardware_is_as_the_model(name: str) -> None:
    run(ALL[name], name)


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_more_hardware_is_as_the_model(name: str) -> None:
    run(LONG[name], name)


@pytest.mark.long
@pytest.mark.parametrize("number", range(2))
def test_random_networks(number: int) -> None:
    run(random_network(random.Random(f"{number}/{SEED}"), 8), f"random {number}")


@pytest.mark.long
@pytest.mark.parametrize("ports", [5, 16])
def test_random_clusters(ports: int) -> None:
    network = random_cluster(random.Random(f"{ports}/{SEED}"), 24, ports)
    run(network, f"random cluster {ports}")


def run(network: RegisterSpec, name: str) -> None:
    job = make_job(network, random.Random(f"{name}/{SEED}"))
    check(job, simulate_tiles(job, build_fabric(network)))
