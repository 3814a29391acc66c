"""TLS: certificates, and connections until their handshake is over."""
