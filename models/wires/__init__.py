"""Slots of barrier wires as bits: many at once, to go through every state and every fault."""
