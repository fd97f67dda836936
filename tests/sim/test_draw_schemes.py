"""Pictures of schemes side by side."""

import numpy as np
import pytest

from syncfabric.models.networks import reader
from syncfabric.models.schemes.registry import schemes_for
from syncfabric.sim.draw.schemes import schemes_figure
from syncfabric.sim.schemes import Compared, Range, compare_groups


def compared(sweep: str | None = None, net: str = "demo") -> Compared:
    spec = reader.load(net)
    span = None if sweep is None else Range.read(sweep)
    return compare_groups(spec, spec.groups, schemes_for(spec.network.kind), {}, None, span)


@pytest.mark.parametrize("sweep", [None, "t_rm=20:60:10"])
def test_every_group_and_scheme_is_there(sweep: str | None) -> None:
    made = compared(sweep)
    figure = schemes_figure(made)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "group 1, 14 members",
        "group 2, 64 members",
        "group 3, 16 members",
    ]
    for axes, costs in zip(figure.axes, made.groups, strict=True):
        latencies = [row.cost.latency_ns for row in costs.rows if row.cost is not None]
        if sweep is None:
            assert [bar.get_width() for bar in axes.patches] == latencies  # type: ignore[attr-defined]
        else:
            assert [np.asarray(line.get_ydata())[1] for line in axes.lines] == latencies
            assert axes.get_xlabel() == "t_rm, ns"


def test_of_two_curves_that_are_the_same_both_are_seen() -> None:
    (axes,) = schemes_figure(compared("t_r=300:500:100", "cluster-fig1")).axes
    styles = {str(line.get_label()): line.get_linestyle() for line in axes.lines}
    assert (styles["btin"], styles["updown"]) == ("-", "--")
