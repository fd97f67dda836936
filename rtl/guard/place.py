"""Guards between a router and its links."""

from collections.abc import Sequence
from typing import Any

from amaranth import Module
from amaranth.lib import wiring

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.rtl.guard.receiver import ReceiverGuard
from syncfabric.rtl.guard.sender import SenderGuard
from syncfabric.rtl.guard.shape import guard_shape
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.parts.link import pass_on

__all__ = ["place_guards"]


def place_guards(
    m: Module,
    network: RegisterSpec,
    node: Any,
    inside: wiring.Signature,
    incoming: Sequence[str],
    outgoing: Sequence[str],
    unit: Any,
) -> dict[str, Any]:
    """Place a guard at each link, if they are guarded; return the links for the router to use.

    Parameters
    ----------
    m : Module
        The node's.
    network : MeshSpec or IrregularSpec
    node : Component
        Has the links.
    inside : Signature
        A link without what guards add to it, and without barrier wires.
    incoming, outgoing : sequence of str
        Names of the links that lead to the node, and away from it.
    unit : Component
        Counts the guards' events, and has their fences, in the order of the names.
    """
    shape = guard_shape(network)
    links = {name: getattr(node, name) for name in (*incoming, *outgoing)}
    if not shape:
        return links
    outside = wiring.Signature({**inside.members, **shape.members})
    corrupt, lost = [], []
    for number, name in enumerate(incoming):
        m.submodules[f"guard_{name}"] = receiver = ReceiverGuard(shape, inside, outside)
        pass_on(m, receiver.link, links[name])
        m.d.comb += receiver.fence.eq(unit.fence[number])
        links[name] = receiver.inside
        corrupt.extend(receiver.corrupt)
    for number, name in enumerate(outgoing):
        m.submodules[f"guard_{name}"] = sender = SenderGuard(shape, inside, outside)
        pass_on(m, sender.link, links[name])
        m.d.comb += sender.fence.eq(unit.fence[number])
        links[name] = sender.inside
        lost.append(sender.lost)
    m.d.comb += [unit.corrupt.eq(total(corrupt)), unit.lost.eq(total(lost))]
    return links
