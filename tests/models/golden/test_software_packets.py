"""Packets of a node's software: before the generator's, whole, and as late as they are put."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.traffic import rate_word
from tests.models.golden.irregular_bench import line
from tests.models.golden.packet_log import Log

Make = Callable[..., GoldenModel]


def mesh(observer: Log | None = None, **options: Any) -> GoldenModel:
    network = MeshSpec(kind="mesh", width=3, height=1, **options)
    return MeshModel(network, observer=observer)


def irregular(observer: Log | None = None, **options: Any) -> GoldenModel:
    return IrregularModel(line(2, **options), observer=observer)


KINDS = pytest.mark.parametrize("make", [mesh, irregular])


def header(model: GoldenModel, node: int) -> int:
    return model.sources.wiring.headers[node]


def injected(model: GoldenModel, cycles: int, node: int = 0) -> list[tuple[int, int, int]]:
    """Step; return (cycle, channel, payload's low byte) of what a source sends."""
    wiring, seen = model.sources.wiring, []
    first = wiring.injection(node, 0)
    for _ in range(cycles):
        now, record = model.cycle, model.step()
        valid = 0 if record is None else record.valid
        for channel in range(wiring.channels):
            lane = first + channel
            if record is not None and valid >> lane & 1:
                flit = record.payloads[(valid & (1 << lane) - 1).bit_count()]
                seen.append((now, channel, flit & 255))
    return seen


@KINDS
def test_software_goes_first_but_breaks_into_no_packet(make: Make) -> None:
    model = make(channels=2, buffer_flits=8)
    to = header(model, 1)
    model.sources.create(0, 1, -1)
    model.sources.create(0, 1, -1)
    assert [(now, channel) for now, channel, _ in injected(model, 2)] == [(0, 0), (1, 0)]
    model.put(0, [to, 7, 8], 1)
    seen = injected(model, 12)
    assert [now for now, _, _ in seen] == list(range(2, 13))
    assert [channel for _, channel, _ in seen] == [0] * 3 + [1] * 3 + [1] * 5
    assert [byte for _, _, byte in seen[3:6]] == [to & 255, 7, 8]
    # The generator's second packet is number 1 all the same.
    assert seen[9][2] == 1


@KINDS
def test_a_packet_waits_for_its_next_flit_and_others_wait_for_it(make: Make) -> None:
    model = make(buffer_flits=8)
    model.put(0, [header(model, 1)], tail=False)
    model.sources.create(0, 1, -1)
    assert [now for now, _, _ in injected(model, 1)] == [0]
    model.put(0, [5], head=False, tail=False)
    assert [now for now, _, _ in injected(model, 6)] == [1]
    assert model.idle_until() is None
    assert not model.is_empty()
    model.put(0, [6], head=False)
    assert [(now, byte) for now, _, byte in injected(model, 7)][:2] == [
        (7, 6),
        (8, header(model, 1) & 255),
    ]
    while model.idle_until() is not None:
        model.step()
    assert model.is_empty()


@KINDS
def test_a_packet_put_while_the_generators_head_waits_for_a_credit_goes_before_it(
    make: Make,
) -> None:
    """Channel 0 is full of flits of a packet whose tail does not come; channel 1 is free."""
    model = make(channels=2, buffer_flits=1)
    model.sources.credits[model.sources.wiring.injection(0, 0)] = 0
    model.sources.create(0, 1, -1)
    assert injected(model, 3) == []
    model.put(0, [header(model, 2), 9], 1)
    assert {channel for _, channel, _ in injected(model, 9)} == {1}
    model.put(0, [header(model, 2)], 0)
    assert injected(model, 5) == []
    assert model.sources.started[0] == 1


@KINDS
def test_who_gets_it_hears_and_words_are_of_32_bits(make: Make) -> None:
    log = Log()
    model = make(observer=log, flit_bits=64, data_bits=2)
    model.put(0, [header(model, 2), 3 << 40 | 5])
    seen: list[int] = []
    while model.idle_until() is not None:
        record = model.step()
        seen += record.payloads if record is not None else []
    assert max(seen) < 1 << 66
    assert {flit % (1 << 64) for flit in seen} == {header(model, 2), 5}
    assert [packet[:3] for packet in log.packets] == [(0, 2, -1)]


@KINDS
def test_skipping_is_stepping(make: Make) -> None:
    """Packets put whole, and packets whose tail is put 20 cycles later."""
    models, rate, rng = [make(buffer_flits=2) for _ in range(2)], rate_word(0.01), random.Random(3)
    puts: dict[int, list[tuple[int, list[int], bool, bool]]] = {}
    for cycle in range(0, 4000, 50):
        node, to, late = rng.randrange(3), rng.randrange(3), rng.random() < 0.5
        puts.setdefault(cycle, []).append((node, [header(models[0], to), 7], True, not late))
        if late:
            puts.setdefault(cycle + 20, []).append((node, [8], False, True))
    records: list[list[Any]] = [[], []]
    jumps = 0
    for model, seen in zip(models, records, strict=True):
        model.step(load=5)
        while model.cycle < 6000:
            idle = model.idle_until(enable=True, rate=rate)
            ahead = min([cycle for cycle in puts if cycle >= model.cycle], default=6000)
            until = min(ahead, 6000 if idle is None else idle)
            if model is models[1] and until > model.cycle:
                model.skip(until - model.cycle, enable=True)
                jumps += 1
                continue
            now, record = model.cycle, model.step(enable=True, rate=rate)
            if record is not None:
                seen.append((now, record))
            for node, payloads, head, tail in puts.get(now, []):
                model.put(node, payloads, head=head, tail=tail)
    assert jumps > 10
    assert records[0] == records[1]
    assert len(records[0]) > 500
