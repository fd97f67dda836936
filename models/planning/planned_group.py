"""What the plans of groups share, whatever the kind of network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = ["PlannedGroup"]

FIELDS = (
    *("id", "planner", "op", "root", "root_switch", "root_node", "height", "longest_path"),
    *("bound_links", "bound", "bound_btm", "bound_least", "edges", "members", "ports"),
    *("registers", "relays", "switches", "ring", "ring_least", "links", "flits"),
)
"""What ``plan --json`` says of every group, in this order."""
ATTRIBUTES = FIELDS[: FIELDS.index("edges")]
"""Those that every plan has under the same name."""


class PlannedGroup(ABC):
    """One group's plan: two are equal if they say the same in JSON."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """Return what ``plan --json`` says of the group; what its kind lacks is null.

        The fields are those of docs/planning.md; a kind's own are in its ``_own_json``.
        """
        shared = {name: getattr(self, name) for name in ATTRIBUTES}
        plain = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in shared.items()
        }
        return {**dict.fromkeys(FIELDS), **plain, **self._own_json()}

    @abstractmethod
    def _own_json(self) -> dict[str, Any]:
        """Return the fields that this kind of plan has behind the bounds."""
