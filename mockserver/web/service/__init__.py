"""The way of a request of the service's API, from its address to its answer."""
