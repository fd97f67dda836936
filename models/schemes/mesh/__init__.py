"""Barrier schemes of two-dimensional meshes: paper BTM's own, and those it compares with."""
