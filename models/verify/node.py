"""A register of a node port, and its process."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["IDLE", "Node"]


class Node(NamedTuple):
    """Register of a node port, and the barrier of its process's last arrival."""

    ready: int = 0
    arrived: int = 0
    epoch: int = 0
    instance: int = -1
    episode: int = 0


IDLE = Node()
