"""Pictures of schedules."""

from pathlib import Path

import numpy as np
import pytest

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import construct
from syncfabric.models.collectives.library import FAMILIES, named
from syncfabric.models.collectives.schedule import Rules, Schedule, Task
from syncfabric.models.errors import OutputError
from syncfabric.sim.draw.canvas import PALE, picture
from syncfabric.sim.draw.schedule import (
    check_schedule_picture,
    save_schedule_picture,
    schedule_figure,
)
from syncfabric.sim.draw.schedule_places import bows, vertex_places


def cube_schedule(nodes: int) -> Schedule:
    topology = named(f"hypercube-{nodes}")
    task = Task(topology, collective("AAS", topology), Rules())
    steps = construct(task, nodes // 2)
    assert steps is not None
    return Schedule(topology, task.collective, task.rules, steps)


def test_a_panel_a_step() -> None:
    schedule = cube_schedule(8)
    figure = schedule_figure(schedule)
    assert len(figure.axes) == 4
    words = [text.get_text() for text in figure.texts]
    assert "AAS on hypercube-8: 4 steps" in words
    assert {f"step {number}" for number in range(1, 5)} <= set(words)
    # An arrowhead a message.
    heads = sum(len([t for t in axes.texts if not t.get_text()]) for axes in figure.axes)
    assert heads == schedule.messages
    # A line a channel of a path, besides the links and the vertices.
    lines = sum(len(axes.lines) for axes in figure.axes)
    hops = sum(len(path) - 1 for step in schedule.steps for _, path in step)
    assert lines == hops + 4 * (12 + 8)


def test_nodes_have_the_colour_of_their_messages_and_the_legend_names_it() -> None:
    schedule = cube_schedule(8)
    figure = schedule_figure(schedule)
    faces = [
        line.get_markerfacecolor() for line in figure.axes[0].lines if line.get_marker() == "o"
    ]
    assert len(set(faces)) == 8
    colours = {line.get_color() for line in figure.axes[0].lines if line.get_marker() != "o"}
    assert colours - {PALE} == set(faces)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"origin {n}" for n in range(8)]


def test_a_table_where_there_are_many_steps() -> None:
    schedule = cube_schedule(64)
    figure = schedule_figure(schedule)
    (axes,) = figure.axes
    cells = np.asarray(axes.images[0].get_array())
    assert cells.shape == (384, 32, 3)
    # All channels are busy in all steps but the first half of step 1, which has one vector only.
    assert (cells < 1).any(axis=2).mean() == 1
    assert len({tuple(ink) for ink in cells.reshape(-1, 3).tolist()}) == 64


def test_the_same_bytes_every_time() -> None:
    first, again = (picture(schedule_figure(cube_schedule(8)), "svg") for _ in range(2))
    assert first == again


@pytest.mark.parametrize("name", [family.example for family in FAMILIES.values()])
def test_every_topology_has_its_places(name: str) -> None:
    topology = named(name)
    places = vertex_places(topology)
    assert places.shape == (topology.vertices, 2)
    assert places.min() >= 0
    assert places.max() <= 1
    gaps = np.hypot(*(places[:, np.newaxis] - places).transpose(2, 0, 1))
    assert gaps[~np.eye(len(places), dtype=bool)].min() > 0.02


def test_channels_bow_round_what_is_in_their_way() -> None:
    torus = named("torus-4x4")
    bent = bows(torus, vertex_places(torus))
    assert bent[0, 1] == bent[1, 0] == 0
    assert bent[3, 0] == bent[0, 3] > 0
    octagon = named("octagon-8")
    assert not any(bows(octagon, vertex_places(octagon)).values())


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"must end in \.svg or \.png"):
        check_schedule_picture("a.pdf", named("ring-4"))
    with pytest.raises(OutputError, match="has 4,096 channels"):
        check_schedule_picture("a.svg", named("torus-32x32"))
    schedule = cube_schedule(4)
    long = Schedule(schedule.topology, schedule.collective, schedule.rules, ((),) * 1025)
    with pytest.raises(OutputError, match="it can show 1,024 steps, not 1,025"):
        save_schedule_picture(long, tmp_path / "a.svg")
    with pytest.raises(OutputError, match="cannot be written"):
        save_schedule_picture(schedule, tmp_path / "none" / "a.svg")
