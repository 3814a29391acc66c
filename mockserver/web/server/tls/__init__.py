"""TLS: certificates, handshakes, and the transport of a connection that is secured."""
