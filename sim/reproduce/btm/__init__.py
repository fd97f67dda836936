"""The experiments of paper BTM."""
