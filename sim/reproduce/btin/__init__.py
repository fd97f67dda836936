"""The experiments of paper BTIN."""
