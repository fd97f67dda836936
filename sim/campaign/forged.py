"""Messages that no engine has sent, as they stand on a link."""

from __future__ import annotations

import random
from collections.abc import Sequence

from syncfabric.models.golden.engine.memory import Message, Way
from syncfabric.models.golden.transport.wires import LinkForm, Sent
from syncfabric.models.layout.engine import EPOCH_BITS, Kind
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import GroupPlan

__all__ = ["Forger"]

EPOCHS = 1 << EPOCH_BITS
EPOCH = 1
"""Of all entries: each has been set up once."""


class Forger:
    """Draws messages with the right check bits.

    Parameters
    ----------
    network : MessageSpec
        With ``check_bits``.
    groups : sequence of GroupPlan
        They synchronize.
    """

    def __init__(self, network: MessageSpec, groups: Sequence[GroupPlan]) -> None:
        router = network.shape.router
        transport = "routed" if router.transport == "routed" else ""
        transport = transport or ("shared" if router.shared else "own")
        sizes = router.link_channels, router.flit_bits, router.layout
        self._form = LinkForm(*sizes, transport, router.check_bits, cut=True)
        self._network, self._groups, self._layout = network, groups, router.layout

    def unknown(self, rng: random.Random, router: int) -> int:
        """Return a message of an entry that no group has at a router, or of another epoch."""
        known = {group.placement.get(router) for group in self._groups}
        entry = rng.randrange(self._layout.entries)
        epochs = [e for e in range(EPOCHS) if entry not in known or e != EPOCH]
        return self._mask(rng, router, entry, rng.choice(epochs), rng.choice(list(Kind)))

    def posed(self, rng: random.Random, router: int) -> int | None:
        """Return a message with entry and epoch of a group; None if the router has none."""
        entries = [g.placement[router] for g in self._groups if router in g.placement]
        if not entries:
            return None
        return self._mask(rng, router, rng.choice(entries), EPOCH, rng.choice(list(Kind)))

    def spurious(self, rng: random.Random, router: int, port: int) -> int | None:
        """Return one of a group, of a kind that its entry never uses by a port; None if all are."""
        found: list[tuple[int, Kind]] = []
        for group in self._groups:
            if router not in group.placement:
                continue
            tree, entry = group.shape, group.placement[router]
            position = tree.position[router]
            if port == tree.parent_port[position]:
                continue
            is_child = int(tree.child_mask[position]) >> port & 1
            kinds = [Kind.BROKEN] if is_child else list(Kind)
            found += [(entry, kind) for kind in kinds]
        if not found:
            return None
        entry, kind = rng.choice(found)
        return self._mask(rng, router, entry, EPOCH, kind)

    def _mask(self, rng: random.Random, router: int, entry: int, epoch: int, kind: Kind) -> int:
        """Return the forward wires, as of ``Fault.mask``."""
        data = rng.getrandbits(self._layout.data_bits) if self._layout.data_bits else 0
        way = None
        if self._layout.routed:
            y, x = divmod(router, self._network.topology.width)  # type: ignore[union-attr]
            way = Way(x, y, rng.randrange(2))
        wires = self._form.pack(None, Sent(Message(entry, epoch, kind, data), way))
        mask = at = 0
        for name, width in self._form.order:
            mask |= getattr(wires, name) << at
            at += width
        return mask
