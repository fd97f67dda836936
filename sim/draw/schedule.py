"""A schedule as a picture: a panel a step, or a table of channels by steps."""

from collections.abc import Hashable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from syncfabric.models.collectives.chunks.checker import spans
from syncfabric.models.collectives.chunks.schedule import Schedule as InChunks
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import OutputError
from syncfabric.models.files import write_whole
from syncfabric.sim.draw.overlay import Dot, arrow
from syncfabric.sim.draw.page import (
    GREY,
    INK,
    PALE,
    PAPER,
    Mark,
    Page,
    format_of,
    picture,
    settings,
)
from syncfabric.sim.draw.renderer import Renderer, sheet_of
from syncfabric.sim.draw.scene import schedule_scene
from syncfabric.sim.draw.style import colours
from syncfabric.sim.words import rules_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

PANEL_VERTICES, PANEL_STEPS = 40, 24
"""Most vertices and steps that are drawn as panels; beyond, a table."""
LARGEST = 1024
"""Most channels, and most steps, of a table."""
COLUMNS = 1000
"""Of a table by time."""
NAMED = 16
"""Most colours that a legend names one by one."""


def check_schedule_picture(path: str | Path, topology: Topology) -> str:
    """Return the format that a picture's file name asks for.

    Raises
    ------
    OutputError
        The name ends otherwise, or the network is larger than a picture can show.
    """
    kind = format_of(path)
    if len(topology.channels) > LARGEST:
        raise OutputError(
            f"picture {path}: {topology.name} has {len(topology.channels):,} channels; "
            f"pictures go up to {LARGEST:,}, so leave the picture out"
        )
    return kind


def save_schedule_picture(schedule: Schedule | InChunks, path: Path) -> None:
    """Draw a schedule into a file.

    Raises
    ------
    OutputError
        It cannot be drawn or written.
    """
    kind = check_schedule_picture(path, schedule.topology)
    if isinstance(schedule, InChunks):
        figure = chunk_figure(schedule)
    elif len(schedule.steps) > LARGEST:
        count = len(schedule.steps)
        raise OutputError(f"picture {path}: it can show {LARGEST:,} steps, not {count:,}")
    else:
        figure = schedule_figure(schedule)
    try:
        write_whole(path, picture(figure, kind))
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from None


def schedule_figure(schedule: Schedule) -> "Figure":
    """Draw a schedule.

    Small ones as panels, a step each, with an arrow a message from the node that sends it to the
    one that gets it; others as a table whose cells say what a channel carries in a step. Colours
    tell messages apart by their origin, or by their destination where there is one origin.
    """
    small = schedule.topology.vertices <= PANEL_VERTICES and len(schedule.steps) <= PANEL_STEPS
    with settings():
        return _panels(schedule) if small else _table(schedule)


def _title(schedule: Schedule) -> tuple[str, str]:
    by = "destination" if _one_origin(schedule) else "origin"
    title = f"{schedule.collective.name} on {schedule.topology.name}: {len(schedule.steps)} steps"
    return title, f"{rules_words(schedule.rules)}; a colour for each {by}"


def _one_origin(schedule: Schedule) -> bool:
    return len({message[0] for step in schedule.steps for message, _ in step}) <= 1


def _inks(schedule: Schedule) -> dict[int, str]:
    """Return a colour for each origin, or for each destination."""
    end = int(_one_origin(schedule))
    keys = sorted({message[end] for step in schedule.steps for message, _ in step})
    return dict(zip(keys, colours(len(keys)), strict=True))


def _legend(schedule: Schedule, inks: dict[int, str]) -> list[Mark]:
    """Return what the colours stand for, where a legend has room for them."""
    end = "destination" if _one_origin(schedule) else "origin"
    marks = [Mark(ink, f"{end} {node}") for node, ink in inks.items()]
    return marks if len(marks) <= NAMED else []


def _panels(schedule: Schedule) -> "Figure":
    count = max(1, len(schedule.steps))
    columns = min(count, 4 if count > 3 else 3)
    rows = -(-count // columns)
    side, top, gap = 2.9, 0.95, 0.34
    scene, inks = schedule_scene(schedule.topology), _inks(schedule)
    legend = _legend(schedule, inks)
    if len(inks) < schedule.topology.nodes:
        legend.append(Mark(GREY, "other node", "ring"))
    if schedule.topology.switches:
        legend.append(Mark(GREY, "switch", "square"))
    page = Page(max(columns * side, 4.4), top + rows * (side + gap), legend)
    title, line = _title(schedule)
    page.heading(title, line, page.width / 2, 0.3)
    left = (page.width - columns * side) / 2
    sheet, end = sheet_of(scene, side), int(_one_origin(schedule))
    dots: dict[Hashable, Dot] = {
        vertex: Dot(inks.get(vertex, PAPER), GREY) for vertex in range(len(scene.spots))
    }
    for number, step in enumerate(schedule.steps):
        x, y = left + number % columns * side, top + number // columns * (side + gap)
        page.text(f"step {number + 1}", x + side / 2, y + 0.02, 9, color=INK)
        width, height = sheet.size
        axes = page.box(x + (side - width) / 2, y + 0.1 + (side - height) / 2, width, height)
        renderer = Renderer(axes, sheet, scene)
        renderer.links()
        renderer.dots(dots, 4)
        lanes = [
            (message[end], [scene.lane(channel) for channel in pairwise(path)])
            for message, path in step
        ]
        renderer.lines([arrow(np.vstack(lines), inks[key]) for key, lines in lanes], 3)
    return page.figure


def _table(schedule: Schedule) -> "Figure":
    """Draw channels by steps."""
    topology, inks = schedule.topology, _inks(schedule)
    end = int(_one_origin(schedule))
    order = sorted(range(len(topology.channels)), key=lambda c: topology.channels[c])
    row = {channel: i for i, channel in enumerate(order)}
    cells = np.ones((len(order), max(1, len(schedule.steps)), 3))
    for number, step in enumerate(schedule.steps):
        for message, path in step:
            for channel in topology.along(path):
                cells[row[channel], number] = _rgb(inks[message[end]])
    # Steps count from 1.
    across = (0.5, cells.shape[1] + 0.5)
    return _grid(topology, cells, _title(schedule), across, "step", _legend(schedule, inks))


def chunk_figure(schedule: InChunks) -> "Figure":
    """Draw a schedule in chunks: what each channel carries at which time, by the owner's colour.

    What the root alone gives to each has its target's.
    """
    topology, exchange = schedule.topology, schedule.exchange
    timed = spans(schedule)
    last = max((end for _, end in timed.ends), default=0) or 1
    ranks, role = list(exchange.owners), "owner"
    if exchange.kind == "scatter":
        ranks, role = [share.targets[0] for share in exchange.shares], "target"
    inks = dict(zip(sorted({*ranks}), colours(len({*ranks})), strict=True))
    order = sorted(range(len(topology.channels)), key=lambda c: topology.channels[c])
    row = {channel: i for i, channel in enumerate(order)}
    cells = np.ones((len(order), COLUMNS, 3))
    for (item, path, combine), (begin, end) in zip(schedule.sends, timed.ends, strict=True):
        # A column for the least of them; a gap before the next where there is room.
        first, beyond = begin * COLUMNS // last, -(-end * COLUMNS // last)
        ink = np.array(_rgb(inks[ranks[item // exchange.parts]]))
        shade = ink if combine else (ink + 1) / 2
        for channel in topology.along(path):
            cells[row[channel], first : max(first + 1, beyond - (beyond - first > 2))] = shade
    name = f"{exchange.kind} on {topology.name}: {last / timed.unit:,.0f} ns"
    parts = f"{exchange.parts} chunk{'s' * (exchange.parts > 1)} of a share"
    line = f"{exchange.size:,} bytes, {parts}; a colour for each {role}"
    line += ", dark where it is combined" * exchange.combines
    with settings():
        legend = [Mark(ink, f"{role} {rank}") for rank, ink in inks.items()]
        legend = legend if len(legend) <= NAMED else []
        return _grid(topology, cells, (name, line), (0, last / timed.unit), "ns", legend)


def _rgb(ink: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(ink)


def _grid(
    topology: Topology,
    cells: "NDArray[np.float64]",
    words: tuple[str, str],
    across: tuple[float, float],
    unit: str,
    legend: list[Mark],
) -> "Figure":
    """Draw channels by steps, or by time; ``across`` are the ends of the axis of these."""
    busy = float((cells.min(axis=2) < 1).mean())
    width = min(11.0, max(5.0, 1.6 + 0.12 * cells.shape[1]))
    height = min(14.0, max(3.0, 0.09 * cells.shape[0]))
    page = Page(width, height + 1.45, legend)
    page.heading(words[0], f"{words[1]}; {busy:.0%} of the cells taken", page.width / 2, 0.3)
    axes = page.box(0.95, 0.85, width - 1.2, height)
    # The first channel is on top.
    limits = (*across, float(cells.shape[0]), 0.0)
    axes.imshow(cells, aspect="auto", interpolation="nearest", extent=limits)
    axes.set_xlabel(unit, fontsize=8)
    axes.set_ylabel("channel", fontsize=8)
    axes.tick_params(labelsize=6.5, length=2)
    order = sorted(topology.channels)
    every = max(1, -(-len(order) // 64))
    names = [f"{a}→{b}" for a, b in order]
    axes.set_yticks(np.arange(0, len(order), every) + 0.5, names[::every])
    for spine in axes.spines.values():
        spine.set_color(PALE)
    return page.figure
