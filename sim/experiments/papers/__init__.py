"""The experiments of the papers, and those that go beyond them."""
