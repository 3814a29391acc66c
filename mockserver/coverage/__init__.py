"""Coverage reports: the covered part of the contract. `core.traffic.coverage` does the counting."""
