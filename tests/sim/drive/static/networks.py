"""The static networks that tests of tiles share, so that each is built once."""

from syncfabric.models.networks.spec import StaticSpec

SMALL = StaticSpec(kind="static", width=4, height=3, flit_bits=3, core_buffer=1, injection_buffer=3)
"""Room for two groups; buffers of one and two places are flip-flops, those of three a memory."""
