"""Software's side of a board: registers over a serial port, groups set up, barriers measured."""
