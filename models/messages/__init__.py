"""The bit layout of words and registers, written once: operations, static networks, cores, hosts.

The RTL, the golden models, the drivers and the C headers take their fields from here; those of
collective engines are in ``models/layout/``.
"""

from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.messages.registers import (
    CONFIG_ADDRESS_BITS,
    COUNTER_BASE,
    Counter,
    Op,
)
from syncfabric.models.messages.static import (
    INIT,
    ROLE_WORD,
    STATUS_WORD,
    TIMEOUT_BITS,
    LoaderWord,
    Role,
    StaticLayout,
    StaticWord,
)
from syncfabric.models.messages.words import COUNTER_BITS

__all__ = [
    "CONFIG_ADDRESS_BITS",
    "COUNTER_BASE",
    "COUNTER_BITS",
    "INIT",
    "ROLE_WORD",
    "STATUS_WORD",
    "TIMEOUT_BITS",
    "Counter",
    "Field",
    "Layout",
    "LoaderWord",
    "Op",
    "Role",
    "StaticLayout",
    "StaticWord",
]
