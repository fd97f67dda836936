"""The schemes of irregular networks: paper BTIN's own, and those that it is compared with."""
