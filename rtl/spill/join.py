"""How a spill engine is joined to its router's config port and set-up sink."""

from amaranth import Module
from amaranth.lib import wiring

from syncfabric.rtl.barrier.config import ConfigPort
from syncfabric.rtl.setup.access import ConfigAccess
from syncfabric.rtl.spill.base import SpillBase

__all__ = ["FREED_PORTS", "join_config"]

FREED_PORTS = ("spill_freed", "spill_gid", "spill_manager")
"""What an engine shows to a set-up sink, under one name at both; ``clear_spill_freed`` answers."""


def join_config(
    m: Module, spill: SpillBase, config: ConfigPort, access: ConfigAccess | None = None
) -> None:
    """Join a spill engine to the config port, and to the sink's access to that if there is one."""
    request = config.config
    answers = access or config
    m.d.comb += [
        spill.config_valid.eq(config.spill_valid),
        spill.config_gid.eq(request.address[3:11]),
        spill.config_word.eq(request.address[:3]),
        spill.config_write.eq(request.write),
        spill.config_data.eq(request.data),
        answers.spill_ready.eq(spill.config_ready),
        answers.spill_error.eq(spill.config_error),
        answers.spill_rdata.eq(spill.config_rdata),
    ]
    if access:
        wiring.connect(m, access.spill, spill.access)
