"""What leaves and enters the workspaces of a server: calls, e-mails, look-ups, and real time that passes."""
