"""The mock's own API under /_mock, one file per resource."""
