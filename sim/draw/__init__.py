"""Pictures, as SVG and PNG: trees and rings over their network, a plan, the load of channels."""

from syncfabric.sim.draw.figures import (
    can_draw,
    check_picture,
    group_figure,
    heat_figure,
    network_figure,
    plan_figure,
    show,
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
    "to_svg",
]
