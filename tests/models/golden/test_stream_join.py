"""Joins of streams: which words fit, and what is made of them (V5)."""

import pytest

from syncfabric.models.golden.streams import RouterStreams
from syncfabric.models.layout.streams import Type
from tests.models.golden.stream_bench import DEAD, alive, head, layout_of, opened, word


def test_a_head_says_what_its_heads_say() -> None:
    layout = layout_of()
    for takes in (False, True):
        for tails in (0, 1, 2):
            router, slots = opened(layout, {0, 4}, {1}), [alive({0, 4}, {1})]
            heads = [head(layout, takes=takes and i == 1, tail=i < tails) for i in range(2)]
            router.step(slots, {0: (0, heads[0]), 4: (0, heads[1])})
            for _ in range(3):
                router.step(slots)
            assert router.sends == {1: (0, head(layout, takes=takes, tail=tails == 2))}


@pytest.mark.parametrize("comes", ["types", "unbuilt", "body", "head", "tails", "sizes"])
def test_v5_words_that_do_not_fit(comes: str) -> None:
    """They leave, a head of type 6 with ``tail`` goes up, and the channel has failed."""
    layout = layout_of(operations=("add", "fp32"))
    usual, fp32 = head(layout), head(layout, type=Type.FP32)
    bodies = comes in ("head", "tails", "sizes")
    pairs = {
        "types": (usual, fp32),
        "unbuilt": (head(layout, function=1), head(layout, function=1)),
        "body": (usual, word(layout, 2 << 3)),
        "head": (word(layout, 1), usual),
        "tails": (word(layout, 1), word(layout, 1, tail=True)),
        "sizes": (word(layout, 1, 1, tail=True), word(layout, 1, 2, tail=True)),
    }
    router, slots = opened(layout, {0, 4}, {1}), [alive({0, 4}, {1})]
    if bodies:
        router.step(slots, {0: (0, usual), 4: (0, usual)})
    first, second = pairs[comes]
    router.step(slots, {0: (0, first), 4: (0, second)})
    router.step(slots)
    assert router.freed == [(0, 0), (4, 0)]
    assert router.failed(slots) == [0]
    sent = []
    for _ in range(30):
        sent += [router.sends] if router.sends else []
        router.step(slots)
    unfit = layout.word.pack({"data": 6 << 3, "tail": 1, "head": 1})
    assert sent == [{1: (0, usual)}] * bodies + [{1: (0, unfit)}]


def test_v5_a_serial_join_that_is_ended_gives_what_does_not_fit() -> None:
    layout = layout_of(join="serial", operations=("integer",))
    router, slots = RouterStreams(layout), [alive({0, 2, 4}, {1})]
    router.step([slots[0]._replace(goes=True)])
    router.step(slots, {p: (0, head(layout)) for p in (0, 2, 4)})
    sent = []
    for cycle in range(2, 12):  # taken in 2, 4 and 6, on the link in 8
        router.step(slots if cycle < 5 else [DEAD._replace(parent=slots[0].parent)])
        sent += [(cycle + 1, *carried) for carried in router.sends.values()]
    assert sent == [(8, 0, layout.word.pack({"data": 6 << 3, "tail": 1, "head": 1}))]
