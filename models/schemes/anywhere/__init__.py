"""Schemes that fit networks of several kinds."""
