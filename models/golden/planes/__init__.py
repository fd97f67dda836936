"""Nodes, node interfaces and whole networks on the collective engine."""
