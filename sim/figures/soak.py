"""Soaks: how many barriers a second, and what is found."""

from __future__ import annotations

import os
from collections.abc import Iterator

from syncfabric.models.networks.reader import load
from syncfabric.sim.figures.row import Row
from syncfabric.sim.soak.request import SoakRequest
from syncfabric.sim.soak.soak import soak

__all__ = ["soaks"]

FULL = {
    "soak-4x4": 1_000_000,
    "soak-8x8": 100_000,
    "soak-cluster": 100_000,
    "soak-wires": 100_000,
    "reflex-8x8": 100_000,
    "reflex-tree-8x8": 100_000,
    "reflex-groups": 100_000,
}
"""Barriers of a soak in full, by network."""
PART = 20
"""Without the variable ``SOAK`` one in so many of them."""


def soaks() -> Iterator[Row]:
    """Soak: barriers a second of the hardware's processor time (SOAK=full takes an hour)."""
    part = 1 if os.environ.get("SOAK") == "full" else PART
    for name, episodes in FULL.items():
        result = soak(load(name), SoakRequest(episodes=episodes // part))
        barriers, cycles = result.rates
        latency = result.latency
        words = [f"{barriers:,.0f} barriers, {cycles:,.0f} cycles a second"]
        if latency:
            words.append(f"{latency.min}/{latency.median}/{latency.most_999}/{latency.max} cycles")
        if result.wait_max is not None:
            words.append(f"packets wait up to {result.wait_max:,}")
        words += map(str, result.findings)
        yield Row(
            f"{name}, {result.episodes:,} barriers in {result.cycles:,} cycles",
            "; ".join(words),
            "nothing found",
            result.verdict == "clean",
        )
