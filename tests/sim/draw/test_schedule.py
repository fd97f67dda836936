"""Pictures of schedules: a panel a step, or a table."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from syncfabric.models.collectives.chunks.schedule import Exchange, Send
from syncfabric.models.collectives.chunks.schedule import Schedule as InChunks
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import construct
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.collectives.topology import Link
from syncfabric.models.errors import OutputError
from syncfabric.sim.draw.page import picture
from syncfabric.sim.draw.schedule import (
    check_schedule_picture,
    chunk_figure,
    save_schedule_picture,
    schedule_figure,
)
from tests.models.collectives.chunks.drawn import two_way
from tests.sim.draw.test_figures import texts


def cube(nodes: int) -> Schedule:
    topology = named(f"hypercube-{nodes}")
    task = Task(topology, collective("AAS", topology), Rules())
    steps = construct(task, nodes // 2)
    assert steps is not None
    return Schedule(topology, task.collective, task.rules, steps)


def test_a_schedule_has_a_panel_a_step_and_colours_by_origin() -> None:
    schedule, figure = cube(8), schedule_figure(cube(8))
    assert len(figure.axes) == 4
    words = texts(figure)
    assert "alltoall on hypercube-8: 4 steps" in words
    assert {f"step {number}" for number in range(1, 5)} <= set(words)
    arrows = 0
    for axes in figure.axes:
        kinds = {type(part).__name__: part for part in axes.collections}
        arrows += len(kinds["PolyCollection"].get_paths())
        faces = np.unique(np.asarray(kinds["PathCollection"].get_facecolor()), axis=0)
        lines = np.unique(np.asarray(kinds["LineCollection"].get_edgecolor()), axis=0)
        assert len(faces) == 8
        assert {*map(tuple, lines)} <= {*map(tuple, faces)}
    assert arrows == schedule.messages
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"origin {n}" for n in range(8)]
    first, again = (picture(schedule_figure(schedule), "svg") for _ in range(2))
    assert first == again


def test_a_schedule_of_many_steps_is_a_table() -> None:
    (axes,) = schedule_figure(cube(64)).axes
    cells = np.asarray(axes.images[0].get_array())
    assert cells.shape == (384, 32, 3)
    # All channels are busy in all steps but the first half of step 1, which has one vector only.
    assert (cells < 1).any(axis=2).mean() == 1
    assert len({tuple(ink) for ink in cells.reshape(-1, 3).tolist()}) == 64


def test_schedules_that_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"must end in \.svg or \.png"):
        check_schedule_picture("a.pdf", named("ring-4"))
    with pytest.raises(OutputError, match="has 4,096 channels"):
        check_schedule_picture("a.svg", named("torus-32x32"))
    small = cube(4)
    long = Schedule(small.topology, small.collective, small.rules, ((),) * 1025)
    with pytest.raises(OutputError, match="it can show 1,024 steps, not 1,025"):
        save_schedule_picture(long, tmp_path / "a.svg")
    with pytest.raises(OutputError, match="cannot be written"):
        save_schedule_picture(small, tmp_path / "none" / "a.svg")


def test_a_schedule_in_chunks_is_links_over_time(tmp_path: Path) -> None:
    slow, fast = Link(Fraction(0), Fraction(3)), Link(Fraction(0), Fraction(1))
    sends = (Send(0, (2, 1), True), Send(0, (1, 0), True))
    exchange = Exchange("reduce", 3, 100)
    schedule = InChunks(two_way(3, (0, 1, fast), (1, 2, slow)), exchange, sends)
    figure = chunk_figure(schedule)
    assert "reduce on hand-made: 400 ns" in texts(figure)
    (axes,) = figure.axes
    assert list(axes.get_xlim()) == [0, 400]
    cells = np.asarray(axes.images[0].get_array())
    taken = np.asarray((cells < 1).any(axis=2))
    # Channels by their ends: 0→1, 1→0, 1→2, 2→1; the slow one has three of four quarters.
    assert [row.sum() for row in taken] == [0, 249, 0, 749]
    assert taken[3, :749].all()
    assert taken[1, 750:999].all()
    save_schedule_picture(schedule, tmp_path / "s.svg")
    assert (tmp_path / "s.svg").read_text().startswith("<?xml")
