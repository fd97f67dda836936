"""Pictures, as SVG and PNG: trees and rings, plans, the load of channels, streams."""

from syncfabric.sim.draw.figures import (
    can_draw,
    check_picture,
    group_figure,
    heat_figure,
    network_figure,
    plan_figure,
    show,
    stream_figure,
)
from syncfabric.sim.draw.page import picture, to_svg

__all__ = [
    "can_draw",
    "check_picture",
    "group_figure",
    "heat_figure",
    "network_figure",
    "picture",
    "plan_figure",
    "show",
    "stream_figure",
    "to_svg",
]
