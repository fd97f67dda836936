"""Whole networks under Verilator, as fabrics of tiles, against the golden model in every cycle."""

import random

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.networks import SEED, check, make_job, mesh, random_network

NETWORKS = {
    "default": mesh(5, 5),
    "pipeline 0, two channels": mesh(3, 5, barrier_pipeline=0, channels=2, buffer_flits=4),
    "paper's route": mesh(5, 5, reduction_route="paper", barrier_pipeline=0, data_bits=1),
    "own links": mesh(
        5, 4, sync_links="own", channels=3, buffer_flits=3, data_bits=32, flit_bits=64
    ),
    "spill": mesh(5, 5, spill=True, barrier_registers=2),
    "serial, spill": mesh(
        3, 3, operations="all", data_bits=9, spill=True, barrier_registers=2, buffer_flits=2
    ),
    "serial, pipeline 0, paper's route, own links": mesh(
        5, 4, operations="all", barrier_pipeline=0, reduction_route="paper", sync_links="own"
    ),
    "column, no data, wide flits": mesh(1, 7, buffer_flits=1, data_bits=0, flit_bits=128),
    "8x8": mesh(8, 8),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_is_as_the_model(name: str) -> None:
    run(NETWORKS[name], name)


@pytest.mark.parametrize("number", range(2))
def test_random_networks(number: int) -> None:
    run(random_network(random.Random(f"{number}/{SEED}"), 8), f"random {number}")


def run(network: MeshSpec, name: str) -> None:
    job = make_job(network, random.Random(f"{name}/{SEED}"))
    check(job, simulate_tiles(job, build_fabric(network)))
