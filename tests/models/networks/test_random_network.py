"""Random networks, and the store of free ports that they are drawn from."""

import math
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.irregular_spec import check_topology
from syncfabric.models.networks.random_network import (
    FreePorts,
    RandomNetwork,
    draw_network,
    link_count,
    random_tree,
)
from tests.models.networks.irregulars import reached


def draw(
    switches: int, nodes: int, connectivity: float, seed: int, ports: int
) -> tuple[Irregular, tuple[str, ...]]:
    drawn = RandomNetwork(switches=switches, nodes=nodes, connectivity=connectivity, seed=seed)
    return draw_network(drawn, ports)


@pytest.mark.parametrize(
    ("switches", "nodes", "connectivity", "links"),
    [(75, 256, 0.75, 97), (300, 1024, 0.75, 388), (75, 256, 0.5, 22), (75, 256, 0.9, 142)],
)
def test_links_of_the_papers_networks(
    switches: int, nodes: int, connectivity: float, links: int
) -> None:
    drawn = RandomNetwork(switches=switches, nodes=nodes, connectivity=connectivity, seed=1)
    assert link_count(drawn, 8) == links


def test_the_papers_half_connected_network_gets_a_tree_and_a_note() -> None:
    network, notes = draw(75, 256, 0.5, 1, 8)
    assert len(network.links) == 74
    assert notes == (
        "random: connectivity = 0.5 asks for 22 links; 75 switches got 74, the fewest that "
        "connect them",
    )
    assert draw(75, 256, 0.75, 1, 8)[1] == ()


def test_a_decimal_is_meant_as_written() -> None:
    # As binary fractions 0.29 * 100 * 2 is below 58, and a link is lost.
    drawn = RandomNetwork(switches=100, nodes=2, connectivity=0.29, seed=0)
    assert link_count(drawn, 2) == 28


def test_one_switch_alone_has_no_link() -> None:
    network, notes = draw(1, 2, 1.0, 3, 8)
    assert network.links == ()
    assert notes == (
        "random: connectivity = 1.0 asks for 3 links; 1 switch got 0, for none leads to itself",
    )


def test_too_many_nodes_are_refused_with_what_fits() -> None:
    with pytest.raises(SpecError, match=r"nodes = 9 is too many for 3 switches .* 1\.\.8$"):
        draw(3, 9, 1.0, 1, 4)
    assert len(draw(3, 8, 1.0, 1, 4)[0].nodes) == 8


@given(
    switches=st.integers(1, 30),
    ports=st.integers(2, 16),
    fill=st.floats(0, 1),
    hundredths=st.integers(0, 100),
    seed=st.integers(0, 10**9),
)
@settings(max_examples=300, deadline=None)
def test_any_network_is_sound(
    switches: int, ports: int, fill: float, hundredths: int, seed: int
) -> None:
    most = switches * ports - 2 * (switches - 1)
    assume(most >= 1)
    count, connectivity = 1 + int(fill * (most - 1)), hundredths / 100
    network, notes = draw(switches, count, connectivity, seed, ports)
    check_topology(network)
    links, nodes = network.links, network.nodes
    places = [place for link in links for place in link] + list(nodes)
    assert len(set(places)) == len(places)
    assert all(0 <= s < switches and 0 <= p < ports for s, p in places)
    assert all(a[0] != b[0] for a, b in links)
    assert reached(switches, links) == set(range(switches))
    assert list(nodes) == sorted(nodes)
    assert len(nodes) == count
    asked = math.floor((Fraction(hundredths, 100) * ports * switches - count) / 2)
    wanted = max(asked, switches - 1) if switches > 1 else 0
    assert len(links) == wanted
    assert bool(notes) == (max(0, asked) != wanted)
    assert (network, notes) == draw(switches, count, connectivity, seed, ports)


@given(st.integers(2, 12), st.floats(0, 1), st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_no_second_link_while_there_is_a_pair_without(
    switches: int, fill: float, seed: int
) -> None:
    # With more ports than other switches none runs out before all pairs are linked.
    pairs = switches * (switches - 1) // 2
    links = switches - 1 + round(fill * (pairs - switches + 1))
    network, _ = draw(switches, 1, (2 * links + 1.5) / (16 * switches), seed, 16)
    assert len({frozenset((a[0], b[0])) for a, b in network.links}) == links


def test_all_ports_can_be_taken() -> None:
    # Two switches must share the nodes evenly enough, wherever they are drawn first.
    for seed in range(50):
        network, _ = draw(2, 6, 1.0, seed, 8)
        assert len(network.links) == 5
        assert Counter(s for s, _ in network.nodes) == {0: 3, 1: 3}


def test_seeds_make_different_networks() -> None:
    assert len({draw(9, 9, 0.8, seed, 6)[0].links for seed in range(20)}) == 20


def test_trees_are_equally_likely() -> None:
    rng = random.Random(1)
    drawn = Counter(
        frozenset(map(frozenset, random_tree([3, 3, 3, 3], rng))) for _ in range(16 * 500)
    )
    assert len(drawn) == 16  # Cayley: 4 ** 2 trees
    assert all(400 < count < 600 for count in drawn.values())


@given(st.lists(st.integers(1, 6), min_size=2, max_size=20), st.integers(0, 10**6))
def test_a_tree_keeps_to_the_free_ports(free: list[int], seed: int) -> None:
    assume(sum(free) >= 2 * (len(free) - 1))
    edges = random_tree(free, random.Random(seed))
    assert len(edges) == len(free) - 1
    used = Counter(end for edge in edges for end in edge)
    assert all(used[switch] <= ports for switch, ports in enumerate(free))
    assert reached(len(free), [((a, 0), (b, 0)) for a, b in edges]) == set(range(len(free)))


def test_what_is_open_has_a_free_port() -> None:
    """Ports used and freed 3,000 times; a swap that goes wrong loses a switch or doubles one."""
    rng = random.Random(3)
    left = [rng.randrange(4) for _ in range(12)]
    pool, plain = FreePorts(list(left)), list(left)
    for _ in range(3_000):
        if any(plain) and rng.random() < 0.55:
            switch = pool.take(rng)
            assert plain[switch] > 0
            plain[switch] -= 1
        else:
            switch = rng.randrange(12)
            pool.give(switch)
            plain[switch] += 1
        assert pool.left == plain
        assert sorted(pool.open) == [s for s, free in enumerate(plain) if free]


def test_using_a_switch_of_ones_choice_leaves_the_others() -> None:
    pool = FreePorts([1, 2, 1])
    pool.use(0)
    pool.use(1)
    assert (sorted(pool.open), pool.left) == ([1, 2], [0, 1, 1])
    pool.use(2)
    assert pool.open == [1]
    pool.give(0)
    assert sorted(pool.open) == [0, 1]


def test_switches_are_drawn_evenly_whatever_their_ports() -> None:
    rng, pool = random.Random(5), FreePorts([1, 9, 0, 3])
    drawn = Counter(pool.any(rng) for _ in range(3_000))
    assert set(drawn) == {0, 1, 3}
    assert all(abs(count - 1_000) < 120 for count in drawn.values())
    assert pool.left == [1, 9, 0, 3]
