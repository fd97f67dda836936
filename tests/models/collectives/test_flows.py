"""Flows of many sources at once: what they carry, and what the capacities are worth."""

import numpy as np

from syncfabric.models.collectives.flows import flow_prices, flows, whole_flows
from tests.models.collectives.tasks import task


def test_the_channels_in_the_middle_are_worth_most() -> None:
    asked = task("mesh-4x1", "AAS")
    prices = flow_prices(asked.topology, *flows(asked))
    assert prices is not None
    worth = dict(zip(asked.topology.channels, prices.tolist(), strict=True))
    # Four messages pass each of them, three the others.
    assert {channel for channel, price in worth.items() if price > 1e-9} <= {(1, 2), (2, 1)}


def test_whole_flows_leave_a_part_at_every_vertex_that_wants_one() -> None:
    asked = task("ring-5", "AAS")
    wanted, usable = flows(asked)
    found = whole_flows(asked.topology, 1, [3] * len(asked.topology.channels), wanted, usable)
    assert found is not None
    assert not found[~usable].any()
    assert found.sum(axis=0).max() <= 3
    tails, heads = asked.topology.ends.T
    for source, flow in enumerate(found):
        left = np.bincount(heads, flow, 5) - np.bincount(tails, flow, 5)
        assert np.delete(left, source).tolist() == [1, 1, 1, 1]
    too_little = [2] * len(asked.topology.channels)
    assert whole_flows(asked.topology, 1, too_little, wanted, usable) is None
