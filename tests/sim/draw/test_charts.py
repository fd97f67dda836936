"""Pictures of schemes side by side."""

import numpy as np
import pytest

from syncfabric.models.networks import reader
from syncfabric.models.schemes.comparison import schemes_for
from syncfabric.sim.draw.charts import schemes_figure
from syncfabric.sim.schemes import APART, Compared, Range, compare_groups


def compared(sweep: str | None = None, net: str = "demo") -> Compared:
    spec = reader.load(net)
    span = None if sweep is None else Range.read(sweep)
    return compare_groups(spec, spec.groups, schemes_for(spec.network.kind), {}, None, span)


@pytest.mark.parametrize("sweep", [None, "t_rm=20:60:10"])
def test_every_group_and_scheme_is_there(sweep: str | None) -> None:
    """Those with start-ups in software apart from those without."""
    made = compared(sweep)
    figure = schemes_figure(made)
    kinds = {True: "formulas with start-ups", False: "by LogGP"}
    panels = [(costs, kind) for costs in made.groups for kind in kinds]
    for axes, (costs, software) in zip(figure.axes, panels, strict=True):
        rows = [row for row in costs.rows if row.times.SOFTWARE is software]
        latencies = [row.cost.latency_ns for row in rows if row.cost is not None]
        title = axes.get_title(loc="left")
        assert title.startswith(f"group {costs.group.id}, {len(costs.group.members)} members: ")
        assert kinds[software] in title
        if sweep is not None:
            assert [np.asarray(line.get_ydata())[1] for line in axes.lines] == latencies
            assert axes.get_xlabel() == "t_rm, ns"
        elif axes.patches:
            widths = [bar.get_width() for bar in axes.patches]  # type: ignore[attr-defined]
            assert widths == latencies + [row.start_up_ns for row in rows]
            assert (axes.get_xlim()[0], axes.get_xlabel()) == (0, "latency, ns")
        else:
            (points,) = axes.lines
            assert np.asarray(points.get_xdata()).tolist() == latencies
            assert axes.get_xlabel() == "latency, ns (log scale)"
    assert {bool(axes.patches) for axes in figure.axes} == ({True, False} if not sweep else {False})


def test_the_picture_says_why_there_are_two_kinds_of_axes() -> None:
    caption = "".join(text.get_text() for text in schemes_figure(compared()).texts)
    assert all(word in caption for word in ("Nothing is simulated.", *APART.split()))
    alone = "".join(text.get_text() for text in schemes_figure(compared(net="reflex-4x4")).texts)
    assert "Nothing is simulated." in alone
    assert "t_s" not in alone


def test_of_two_curves_that_are_the_same_both_are_seen() -> None:
    upper, _ = schemes_figure(compared("t_r=300:500:100", "cluster-fig1")).axes
    styles = {str(line.get_label()): line.get_linestyle() for line in upper.lines}
    assert (styles["btin"], styles["updown"]) == ("-", "--")
