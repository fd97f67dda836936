"""A run's result in a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

from syncfabric.sim.draw import can_draw, heat_figure
from syncfabric.sim.network import Network
from syncfabric.sim.report.blocks import Block, Drawing, Section, Table, Verdict, Words
from syncfabric.sim.report.drawing import hover_points, inline_svg
from syncfabric.sim.report.inputs import SavedResult
from syncfabric.sim.report.latency_plot import latency_figure
from syncfabric.sim.results import ChannelLoad, RunResult
from syncfabric.sim.rows import describe, result_rows, summary
from syncfabric.sim.words import node_words

__all__ = ["result_section", "run_blocks"]

MOST_LOADS = 2_000
"""Channels whose loads are listed, the fullest first."""


def result_section(saved: SavedResult, prefix: str, networks: Iterable[Network]) -> Section:
    """Return a saved result; its loads are drawn over the network of its name, if that is given."""
    result = saved.result
    same = [network for network in networks if network.name == result.network]
    blocks = [*run_blocks(result, prefix)]
    if result.loads:
        blocks += _loads(result, result.loads, prefix, same[0] if same else None)
    line = f"{result.network} under {result.simulator} · seed {result.seed}"
    return Section(saved.source, "run", line, blocks)


def run_blocks(result: RunResult, prefix: str) -> Iterator[Block]:
    """Yield a run's verdict, table, and latencies."""
    first, *rest = summary(replace(result, files=()))
    lines = [first.partition(": ")[2]]
    if result.reason:
        lines.append(result.reason)
    if result.repeat:
        lines.append(f"repeat it with: {result.repeat}")
    yield Verdict(result.ok, result.verdict, lines)
    yield Table("Run", result_rows(result))
    if any(group.latency for group in result.groups):
        figure = latency_figure(result)
        words = f"barrier latency of {result.network}"
        svg = inline_svg(figure, f"{prefix}-l", words)
        yield Drawing("", svg, hover_points(figure))
    told = list(rest)
    if result.counters is not None:
        parts = (f"{name} {value:,}" for name, value in asdict(result.counters).items())
        told.append(f"event counters: {', '.join(parts)}")
    if told:
        yield Words(told)
    if result.mismatches:
        yield Words([describe(mismatch) for mismatch in result.mismatches])


def _loads(
    result: RunResult, loads: tuple[ChannelLoad, ...], prefix: str, network: Network | None
) -> Iterator[Block]:
    if network is not None and can_draw(network.spec.network):
        title = f"{result.network}: load of every channel"
        figure = heat_figure(network.spec.network, loads, title=title)
        yield Drawing("Loads", inline_svg(figure, f"{prefix}-h", title), light=True)
    fullest = sorted(loads, key=lambda load: -load.load)[:MOST_LOADS]
    rows = [[node_words(load.node), load.port, f"{load.load:.4f}"] for load in fullest]
    yield Table("Loads of channels", (["from", "port", "flits\na cycle"], rows), closed=True)
