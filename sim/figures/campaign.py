"""Campaigns: what becomes of faults, and how many a second."""

from __future__ import annotations

import os
from collections.abc import Iterator

from syncfabric.models.networks.reader import load
from syncfabric.sim.campaign.campaign import campaign
from syncfabric.sim.campaign.court import Verdict
from syncfabric.sim.campaign.request import CampaignRequest
from syncfabric.sim.campaign.result import BAD, CampaignResult, KindCount
from syncfabric.sim.figures.row import Row

__all__ = ["campaigns"]

NETWORKS = (
    *("campaign-mesh", "campaign-cluster"),
    *("campaign-wires", "campaign-static"),
)
FULL = 10_000
"""Faults of a campaign in full."""
PART = 20
"""Without the variable ``CAMPAIGN`` one in so many of them."""


def campaigns() -> Iterator[Row]:
    """Campaign: what becomes of faults (CAMPAIGN=full takes an hour)."""
    faults = FULL if os.environ.get("CAMPAIGN") == "full" else FULL // PART
    for name in NETWORKS:
        result = campaign(load(name), CampaignRequest(faults=faults))
        yield _rates(result)
        for count in result.kinds:
            target = ", ".join(f"0 {verdict.value}" for verdict in BAD) if count.meant else ""
            met = not any(count.verdicts[verdict] for verdict in BAD) if count.meant else None
            figure = f"{name}, {count.kind.value}, {count.faults:,} faults"
            yield Row(figure, _told(count), target, met)


def _rates(result: CampaignResult) -> Row:
    faults, episodes, cycles = result.rates
    measured = f"{faults:,.0f} faults, {episodes:,.0f} barriers, {cycles:,.0f} cycles a second"
    return Row(f"{result.network}, {result.faults:,} faults", measured)


def _told(count: KindCount) -> str:
    seen = (verdict for verdict in Verdict if count.verdicts[verdict])
    return ", ".join(f"{count.verdicts[verdict]:,} {verdict.value}" for verdict in seen)
