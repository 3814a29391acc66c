"""Recording: what a peer has answered, as stubs in which nobody's secrets and addresses stand."""
