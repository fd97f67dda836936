"""What engines keep of groups in memory, at the end of a run: hardware against model."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from syncfabric.models.golden.network import CollectiveNetwork
from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.drive.targets import target_names
from syncfabric.sim.results import Mismatch

Stored: TypeAlias = tuple[int, int]
"""A word of a memory, its unknown bits 0, and the mask of these."""


def differences(
    spec: AnySpec,
    model: CollectiveNetwork,
    groups: Iterable[GroupPlan],
    cycle: int,
    rows: Sequence[Sequence[Stored]],
) -> Iterator[Mismatch]:
    """Yield each field of an entry that is defined and differs.

    Parameters
    ----------
    spec : AnySpec
    model : CollectiveNetwork
        At the start of the cycle.
    groups : iterable of GroupPlan
        Whose entries are named by the group; of two at one place, the last.
    cycle : int
    rows : sequence of sequence of Stored
        By router: for each entry its word of each memory of the layout.
    """
    layout, names = model.shape.router.layout, target_names(spec)
    words = layout.memories.values()
    held = {place: group.id for group in groups for place in group.placement.items()}
    for router, (node, row) in enumerate(zip(model.nodes, rows, strict=True)):
        stored = iter(row)
        for entry in range(layout.entries):
            for word, (wanted, defined) in zip(words, node.engine.stored(entry), strict=True):
                seen, unknown = next(stored)
                if not (seen ^ wanted | unknown) & defined:
                    continue
                group = held.get((router, entry))
                kept = f"entry {entry}{'' if group is None else f' of group {group}'}"
                for field in word.fields:
                    low, bits = word.offsets[field.name], (1 << field.width) - 1
                    ours, theirs, mask = (each >> low & bits for each in (seen, wanted, defined))
                    lost = unknown >> low & mask
                    if (ours ^ theirs) & mask or lost:
                        yield Mismatch(
                            cycle,
                            names[model.shape.target_of(router)],
                            f"{kept}: {field.name}",
                            "unknown" if lost else ours & mask,
                            theirs & mask,
                        )
