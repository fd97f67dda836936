"""The bit layout of words and registers, written once: operations, static networks, cores, hosts.

The RTL, the golden models, the drivers and the C headers take their fields from here; those of
collective engines are in ``models/layout/``.
"""
