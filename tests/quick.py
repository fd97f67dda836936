"""Simulators for designs that are compiled in more time than they run."""

import dataclasses

from syncfabric.sim.simulators import Simulator, Verilator, find_simulator

__all__ = ["quick_simulator"]


def quick_simulator(name: str) -> Simulator:
    """Return a simulator whose C++, if it has any, is compiled without optimisation."""
    tool = find_simulator(name)
    if isinstance(tool, Verilator):
        return dataclasses.replace(tool, opt_fast="-O0", opt_library="-O0")
    return tool
