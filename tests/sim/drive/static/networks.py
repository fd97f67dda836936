"""The static networks that tests of tiles share, so that each is built once."""

from syncfabric.models.networks.spec import StaticSpec

__all__ = ["SMALL"]

SMALL = StaticSpec(
    kind="static", width=4, height=3, flit_bits=3, switch_buffer=3, injection_buffer=1
)
"""Room for two groups; buffers in a memory, in two flip-flops and in one."""
