"""Numbers of a network's links and their lanes, as records have them."""

from __future__ import annotations

from syncfabric.models.golden.planes.building import transport_of
from syncfabric.models.layout.network import NetworkShape

__all__ = ["Lanes"]


class Lanes:
    """Numbers of links and lanes.

    Link ``router * ports + port`` is a router's output, with LOCAL of a mesh among them; link
    ``routers * ports + node`` leads from a node into its router. A *lane* is a bit of a link:
    ``link * width + c``, with c an ordinary channel, above these that of set-up packets, and above
    these the classes of messages.

    Parameters
    ----------
    shape : NetworkShape

    Attributes
    ----------
    width : int
        Lanes of a link.
    ports : int
        Of a router, the set-up sink's left out.
    messages : int
        The first lane of messages.
    count : int
        Lanes of all links.
    """

    def __init__(self, shape: NetworkShape) -> None:
        router = shape.router
        self.ports = router.links + router.own
        self.messages = router.link_channels
        self.width = self.messages + (2 if transport_of(router) == "routed" else 1)
        self._injections = shape.routers * self.ports
        self.count = (self._injections + len(shape.nodes)) * self.width

    def output(self, router: int, port: int) -> int:
        """Return the link of a router's output."""
        return router * self.ports + port

    def injection(self, node: int) -> int:
        """Return the link from a node into its router."""
        return self._injections + node
