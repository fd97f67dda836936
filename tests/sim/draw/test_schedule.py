"""Pictures of schedules: a panel a step, or a table."""

from pathlib import Path

import numpy as np
import pytest

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import construct
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.errors import OutputError
from syncfabric.sim.draw import picture
from syncfabric.sim.draw.schedule import (
    check_schedule_picture,
    save_schedule_picture,
    schedule_figure,
)
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
    assert "AAS on hypercube-8: 4 steps" in words
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
