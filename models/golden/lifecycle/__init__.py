"""Set-up by managers, written from docs/microarchitecture-networks.md alone (N3 to N5)."""

from syncfabric.models.golden.lifecycle.manager import Manager
from syncfabric.models.golden.lifecycle.port import SetUpPort
from syncfabric.models.golden.lifecycle.sink import Replies, Sink

__all__ = ["Manager", "Replies", "SetUpPort", "Sink"]
