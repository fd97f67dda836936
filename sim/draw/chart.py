"""What a kind of network must be able to draw of itself; and which networks are not too large."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from syncfabric.models.errors import OutputError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.sim.draw.canvas import Sheet, format_of, to_svg
from syncfabric.sim.draw.page import Margins, Mark
from syncfabric.sim.results import ChannelLoad
from syncfabric.sim.words import kind_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Chart", "can_draw", "chart_of", "check_picture", "show"]


class Chart(Protocol):
    """One network, drawn on axes of ``sheet.size``, with ``margins`` around them."""

    sheet: Sheet
    margins: Margins
    heat_words: str
    """How to read the marks of a heat map."""

    def draw_tree(self, axes: "Axes", group: Any, height: int) -> None:
        """Draw a group's tree or ring; ``height`` is that of the highest tree on the page."""

    def tree_key(self, groups: Sequence[Any]) -> list[Mark]:
        """Return the key of these groups' trees and rings."""

    def draw_groups(self, axes: "Axes", inks: Mapping[tuple[int, int], Sequence[str]]) -> None:
        """Draw the network, and at its nodes the colours of the groups they are in."""

    def draw_loads(
        self, axes: "Axes", loads: Iterable[ChannelLoad], ink: Callable[[float], Any]
    ) -> None:
        """Draw every directed channel in the colour of its load; 0 where it is left out."""


def chart_of(network: AnySpec, side: float, groups: Sequence[Any] = ()) -> Chart:
    """Return the chart of a network.

    Parameters
    ----------
    network : AnySpec
    side : float
        Wanted length of the longer side, in inches.
    groups : sequence of group plans
        All of them: on a static network, where they share out the links, others are drawn pale.
    """
    if isinstance(network, StaticSpec):
        from syncfabric.sim.draw.static.chart import StaticChart

        return StaticChart(network.topology, side, groups)
    if isinstance(network.topology, Mesh):
        from syncfabric.sim.draw.mesh.chart import MeshChart

        return MeshChart(network.topology, side)
    from syncfabric.sim.draw.irregular.chart import IrregularChart

    return IrregularChart(network.topology, side)


def can_draw(network: AnySpec) -> bool:
    """Return whether a network is small enough for a picture."""
    return _within(network)[0]


def check_picture(path: str | Path, network: AnySpec) -> str:
    """Return the format that a picture's file name asks for.

    Raises
    ------
    OutputError
        The name ends otherwise, or the network is larger than a picture can show.
    """
    kind = format_of(path)
    fits, largest = _within(network)
    if not fits:
        article = "an" if network.kind == "irregular" else "a"
        raise OutputError(
            f"picture {path}: {article} {kind_words(network)} is too large to draw; "
            f"pictures go up to {largest}, so leave the picture out"
        )
    return kind


def show(network: AnySpec, make: Callable[[], "Figure"]) -> str | None:
    """Return a figure as SVG for a notebook; None where the network is too large to draw."""
    return to_svg(make()) if can_draw(network) else None


LARGEST_MESH = 64
"""Most nodes along a side of a mesh, or of a static network, that a picture shows."""
LARGEST_IRREGULAR = 100
"""Most switches of an irregular network that a picture shows."""


def _within(network: AnySpec) -> tuple[bool, str]:
    """Return whether a network fits, and the largest one in words."""
    topology = network.topology
    if isinstance(topology, Irregular):
        fits = topology.switches <= LARGEST_IRREGULAR
        return fits, f"{LARGEST_IRREGULAR} switches"
    fits = max(topology.width, topology.height) <= LARGEST_MESH
    return fits, f"{LARGEST_MESH}x{LARGEST_MESH}"
