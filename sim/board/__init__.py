"""A board in simulation: the same top under Verilator, its UART on a pseudo-terminal."""

from syncfabric.sim.board.program import SimulatedBoard, build_board

__all__ = ["SimulatedBoard", "build_board"]
