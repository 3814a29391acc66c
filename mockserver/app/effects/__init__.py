"""What leaves and enters the workspaces of a server: calls, e-mails and look-ups, and real time."""
