"""Cycle-exact models of what the hardware does, written from docs/microarchitecture.md alone."""
