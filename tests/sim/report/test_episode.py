"""Animations show what the golden model does, cycle by cycle."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from syncfabric import Network
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.sim.drive.run import scenario_of
from syncfabric.sim.report.animation import Animation
from syncfabric.sim.report.episode import first_episode
from syncfabric.sim.request import RunRequest
from tests.sim.matrix import CLUSTER, MESH
from tests.sim.matrix import network as engines


def animation_of(network: Network, episodes: int = 5, background: float = 0.0) -> Animation:
    plan = network.plan()
    scenario = scenario_of(plan, RunRequest(episodes=episodes, background=background))
    animation = first_episode(plan, scenario)
    assert animation is not None
    return animation


def passed(animation: Animation, cast: int, words: str) -> Counter[int]:
    """Return how often things of a kind passed each link."""
    (kind,) = (i for i, kind in enumerate(animation.kinds) if kind.words.startswith(words))
    moves = (move for move in animation.moves if (move.kind, move.cast) == (kind, cast))
    return Counter(link for move in moves for link in move.links)


@pytest.mark.parametrize(
    "name", ["twins", "reflex-groups", "wires-both", "mesh-8x8-groups", "cluster-19"]
)
def test_everybody_arrives_and_is_released_when_the_run_says(name: str) -> None:
    network = Network.load(name)
    animation = animation_of(network)
    runs = network.run(sim="model", episodes=1)
    for cast, group, plan in zip(animation.casts, runs.groups, network.plan().groups, strict=True):
        assert len(cast.members) == len(plan.members)
        arrivals = [cycle for cycle in cast.arrivals if cycle is not None]
        releases = [cycle for cycle in cast.releases if cycle is not None]
        assert len(arrivals) == len(releases) == len(plan.members)
        assert max(arrivals) <= min(releases)
        if name != "cluster-19":  # a second barrier can hinder another group's first
            assert group.latency is not None
            assert max(releases) - max(arrivals) == group.latency.max
    shown = animation.to_json()
    assert shown["first"] == -1
    assert min(min(cast["arrivals"]) for cast in shown["casts"]) == 0
    assert shown["last"] == max(max(cast["releases"]) for cast in shown["casts"])
    times = [move[0] for move in shown["moves"]]
    assert times == sorted(times)
    assert times[0] >= 0
    assert times[-1] <= shown["last"]


@pytest.mark.parametrize(
    ("kind", "size", "keys"),
    [
        (MESH, (4, 3), {"message_links": "shared", "setup": "manager"}),
        (CLUSTER, (4, 9), {"link_registers": 1}),
        (MESH, (5, 4), {"transport": "routed"}),
        (MESH, (4, 3), {"wires": 2, "check_bits": 4}),
        (MESH, (3, 3), {"wires": 2, "transport": "routed"}),
        (CLUSTER, (4, 9), {"wires": 2, "link_registers": 1}),
    ],
)
def test_messages_of_engines_go_up_and_down_their_trees(
    kind: str, size: tuple[int, int], keys: dict[str, Any]
) -> None:
    network = Network(engines(kind, *size, members=5, **keys))
    animation = animation_of(network)
    links = animation.scene.link_numbers
    assert -1 not in {move.cast for move in animation.moves}
    for number, group in enumerate(network.plan().groups):
        down, up = Counter[int](), Counter[int]()
        edges = [paths for _, *paths in group.tree.edge_paths()]
        for found, end in ((down, 0), (up, 1)):
            for router, port in (place for paths in edges for place in paths[end]):
                name = router, str(port)
                if kind == MESH:
                    node = network.spec.network.topology.node(router)
                    found[links[node, Port(port).name.lower()]] += 1
                else:
                    found[links[name]] += 1
        if kind != MESH:
            for member in group.members:
                down[links[member[0], str(member[1])]] += 1
                up[links[member, "inject"]] += 1
        if down:
            assert passed(animation, number, "distribute") == down
            assert passed(animation, number, "reduce") == up


def ring_links(ring: list[Node]) -> list[tuple[Node, str]]:
    """Return the link from each switch of a ring to the next, from the root on."""
    port = {(1, 0): "east", (0, 1): "north", (-1, 0): "west", (0, -1): "south"}
    around = pairwise([*ring, ring[0]])
    return [((x, y), port[ahead_x - x, ahead_y - y]) for (x, y), (ahead_x, ahead_y) in around]


def test_a_rings_notify_and_release_pass_its_links() -> None:
    animation = animation_of(Network.load("reflex-2x2"))
    (group,) = Network.load("reflex-2x2").plan().groups
    node = Network.load("reflex-2x2").spec.network.topology.node
    ring = [node(switch) for switch in group.ring or []]
    links = {animation.scene.link_numbers[link] for link in ring_links(ring)}
    assert passed(animation, 0, "notify") == Counter(dict.fromkeys(links, 1))
    released = passed(animation, 0, "release")
    assert set(released) <= links
    # The last link leads it back to the root, when everybody may be out already.
    assert 3 <= released.total() <= 4
    (cast,) = animation.casts
    assert cast.root == animation.scene.spot_numbers[group.root]
    # On the link to a switch, on that to its core, popped, released (R4 of its contract).
    ends = dict(
        zip(
            [animation.scene.link_numbers[link] for link in ring_links(ring)],
            ring[1:],
            strict=False,
        )
    )
    out = dict(zip(cast.members, cast.releases, strict=True))
    for move in animation.moves:
        if animation.kinds[move.kind].words.startswith("release") and move.links[0] in ends:
            assert out[animation.scene.spot_numbers[ends[move.links[0]]]] == move.cycle + 3


def test_packets_are_shown_in_the_background() -> None:
    network = Network.load("mesh-4x4")
    quiet, busy = animation_of(network), animation_of(network, background=0.2)
    assert all(move.cast == 0 for move in quiet.moves)
    others = {busy.kinds[move.kind].words for move in busy.moves if move.cast < 0}
    assert others == {"flits of packets"}
