"""The words that load routes, shifted into a chain as the contract says."""

import random
from collections import deque

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.route_chain import Output, chain, chain_words


def static(width: int, height: int) -> StaticSpec:
    return StaticSpec(kind="static", width=width, height=height)


def shifted(words: list[int], length: int) -> list[int]:
    """Return the chain's bits, the lowest first, after all words: lowest bit of each first."""
    bits = deque([0] * length, maxlen=length)
    for word in words:
        for place in range(32):
            bits.appendleft(word >> place & 1)
    return list(bits)


def test_bits_stand_where_the_contract_says() -> None:
    """Switch 1 of a 2x1: SOUTH (fourth output) from CORE, the last of its four; EAST flushed."""
    words = chain_words(static(2, 1), {(1, 0, Port.SOUTH): Port.LOCAL}, {(1, 0, Port.EAST)})
    assert [place for place, bit in enumerate(shifted(words, 50)) if bit] == [29, 25 + 15 + 3]
    assert len(words) == 2


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (5, 3), (8, 4)])
def test_what_is_shifted_in_is_the_chain(width: int, height: int) -> None:
    spec, rng = static(width, height), random.Random(width)
    outputs: list[Output] = [(x, y, port) for x, y in spec.topology.nodes for port in Port]
    routes = {o: rng.choice([p for p in Port if p is not o[2]]) for o in outputs}
    flushed = rng.sample(outputs, len(outputs) // 2)
    words = chain_words(spec, routes, flushed)
    bits = shifted(words, spec.layout.chain_bits)
    for place, output in enumerate(outputs):
        *select, flush = bits[5 * place : 5 * place + 5]
        others = [port for port in Port if port is not output[2]]
        assert [port for port, bit in zip(others, select, strict=True) if bit] == [routes[output]]
        assert flush == (output in flushed)
    assert all(word >> 32 == 0 for word in words)
    assert sum(bits) == chain(spec, routes, flushed).bit_count()


def test_bad_routes_are_refused() -> None:
    with pytest.raises(SpecError, match=r"^routes: output \(0, 0\) EAST selects its own port"):
        chain_words(static(2, 2), {(0, 0, Port.EAST): Port.EAST})
    with pytest.raises(SpecError, match=r"^routes: output \(2, 0\) EAST is outside the 2x2 mesh"):
        chain_words(static(2, 2), {}, {(2, 0, Port.EAST)})
