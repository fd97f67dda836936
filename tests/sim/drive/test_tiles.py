"""Whole networks under Verilator, as fabrics of tiles, against the golden model in every cycle."""

import random

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.backends import run_job
from tests.sim.drive.clusters import drawn, random_cluster, ring, star
from tests.sim.drive.networks import SEED, check, make_job, mesh, random_network

NETWORKS: dict[str, MessageSpec] = {
    "default": mesh(5, 5),
    "shared links, two channels": mesh(
        3, 5, message_links="shared", channels=2, buffer_flits=4, output_register=True
    ),
    "routed, wide": mesh(
        5, 4, transport="routed", channels=3, buffer_flits=3, data_bits=32, flit_bits=64
    ),
    "messages alone": mesh(4, 3, channels=0, data_bits=2),
    "serial": mesh(3, 3, operations="all", data_bits=9, groups=2, buffer_flits=2, wires=1),
    "column, no data, wide flits": mesh(1, 7, buffer_flits=1, data_bits=0, flit_bits=128),
    "8x8": mesh(8, 8, wires=2),
}

CLUSTERS: dict[str, MessageSpec] = {
    "irregular, default": drawn(1, switches=12, extra=6, nodes=24, ports=6),
    "irregular, two channels": drawn(*(2, 8, 5, 16, 6), groups=2, buffer_flits=2, channels=2),
    "irregular, shared links, serial": drawn(
        *(3, 8, 5, 16, 6), message_links="shared", operations="all", data_bits=9, buffer_flits=3
    ),
    "ring, datelines": ring(6, 2, buffer_flits=4, flit_bits=64, data_bits=32),
}
LONG: dict[str, MessageSpec] = {
    "messages alone, serial": mesh(5, 4, channels=0, groups=2, operations="all"),
    "serial, registers": mesh(5, 4, operations="all", link_registers=1, engine_stages=3),
    "tree, no data": drawn(*(4, 24, 0, 30, 4), data_bits=0, channels=2, buffer_flits=8, wires=2),
    "star, serial": star(5, 2, groups=2, operations="all", check_bits=4),
}


ALL: dict[str, MessageSpec] = {**NETWORKS, **CLUSTERS}
SHORT = {"default"}
"""The others are built for few other tests, and run with ``-m nightly``."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name not in SHORT)) for name in ALL]
)
def test_hardware_is_as_the_model(name: str) -> None:
    run(ALL[name], name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", LONG)
def test_more_hardware_is_as_the_model(name: str) -> None:
    run(LONG[name], name)


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(2))
def test_random_networks(number: int) -> None:
    run(random_network(random.Random(f"{number}/{SEED}"), 8), f"random {number}")


@pytest.mark.nightly
@pytest.mark.parametrize("ports", [5, 16])
def test_random_clusters(ports: int) -> None:
    network = random_cluster(random.Random(f"{ports}/{SEED}"), 24, ports)
    run(network, f"random cluster {ports}")


def run(network: MessageSpec, name: str) -> None:
    job = make_job(network, random.Random(f"{name}/{SEED}"))
    check(job, run_job(job, "verilator"))
