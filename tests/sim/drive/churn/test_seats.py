"""Where members have their registers, and what they write there."""

import random

from syncfabric.models.golden.network import model_of
from syncfabric.models.messages import CONTROL
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.churn.draw import Drawing
from syncfabric.sim.drive.churn.life import Life
from syncfabric.sim.drive.churn.seats import Seats
from syncfabric.sim.drive.scenario import Scenario
from tests.sim.drive.churn.networks import cluster, grid, plan_with


def stage(network: RegisterSpec) -> tuple[Seats, Life]:
    """Return the seats of a network of two groups, and a life of all nodes."""
    plan, rng = plan_with(network), random.Random(3)
    drawn = Drawing(plan.spec, rng).draw(range(2))
    nodes = [network.topology.index(node) for node in drawn.group.members]
    arrivals = GroupArrivals(drawn.group, [], Scenario(), rng, lambda cycle, member: None)
    life = Life(**vars(drawn), number=2, nodes=nodes, targets=(0, 1), arrivals=arrivals, since=0)
    return Seats(plan, model_of(network), rng), life


def test_members_of_a_cluster_write_a_free_register_with_their_epoch() -> None:
    seats, life = stage(cluster(barrier_registers=3))
    life.epoch = 2
    assert seats.room() == [0, 1, 2, 3]
    writes = list(seats.take(life))
    assert {write.node for write in writes} == {0, 1}
    # Everybody's group has register 0, the other's two nodes register 1.
    assert life.places == {member: life.places[member] for member in (0, 1)}
    for member, node in enumerate(life.nodes):
        assert life.places[member] in ((2,) if node in (0, 3) else (1, 2))
        control = [w.data for w in writes if w.node == node and not w.address & 7]
        fields = [CONTROL.unpack(data) for data in control]
        assert [(f["valid"], f["gid"], f["epoch"]) for f in fields] == [(1, life.gid, 2)]
    wipes = [(wipe.node, wipe.address, wipe.data) for wipe in seats.wipes(life)]
    assert wipes == [(node, 8 * (life.places[m] or 0), 0) for m, node in enumerate(life.nodes)]


def test_a_register_is_nobody_elses_until_it_is_left() -> None:
    seats, life = stage(cluster(barrier_registers=3))
    list(seats.take(life))
    full = [node for node in life.nodes if node == 0]
    assert seats.room() == [node for node in range(4) if node not in full]
    seats.leave(life)
    assert seats.room() == [0, 1, 2, 3]


def test_without_a_free_register_there_is_no_room() -> None:
    seats, _ = stage(cluster(barrier_registers=2))
    assert seats.room() == [1, 2]


def test_members_on_a_mesh_write_nothing() -> None:
    seats, life = stage(grid())
    assert list(seats.take(life)) == []
    assert list(seats.wipes(life)) == []
    assert [(read.node, read.address) for read in seats.reads(life)] == [
        (target, 8 * register) for target in (0, 1) for register in range(4)
    ]
