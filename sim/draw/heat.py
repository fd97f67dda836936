"""The load of every channel over the network."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.draw.canvas import INK, settings
from syncfabric.sim.draw.chart import chart_of
from syncfabric.sim.draw.page import TOP, Page
from syncfabric.sim.results import ChannelLoad

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["heat_figure"]

SCALE = ("#e6eaee", "#f3c56a", "#f08a24", "#c4341f", "#5c0a16")
"""Idle to full."""


def heat_figure(
    network: AnySpec, loads: Iterable[ChannelLoad], *, title: str, line: str = ""
) -> "Figure":
    """Draw how busy each directed channel was.

    Between routers an arrow for each direction, keeping right; of a node's mark the left half is
    what it sends (``inject``), the right half what it receives.

    Parameters
    ----------
    network : AnySpec
    loads : iterable of ChannelLoad
        Channels that are left out are drawn empty.
    title, line : str
        Heading, and a line below it.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    loads = tuple(loads)
    top = max((load.load for load in loads), default=0.0)
    limit = next((step for step in (0.05, 0.1, 0.2, 0.5, 1.0) if top <= step), max(top, 1.0))
    norm, scale = Normalize(0, limit), LinearSegmentedColormap.from_list("load", SCALE)
    chart = chart_of(network, side=6.4)
    width, height = chart.sheet.size
    with settings():
        page = Page(max(chart.margins.left + width + chart.margins.right, 5.2), TOP + height + 1.0)
        page.heading(title, line, page.width / 2, 0.3)
        axes = page.axes(chart.sheet, chart.margins, page.width / 2, TOP)
        chart.draw_loads(axes, loads, lambda load: scale(norm(load)))
        long = min(3.6, page.width - 1.2)
        box = (0.5 - long / page.width / 2, 0.5 / page.height, long / page.width, 0.1 / page.height)
        bar = page.figure.colorbar(
            ScalarMappable(norm, scale), cax=page.figure.add_axes(box), orientation="horizontal"
        )
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=2, labelsize=7, color=INK)
        bar.set_label(f"flits and messages a cycle; {chart.heat_words}", fontsize=7.5)
    return page.figure
