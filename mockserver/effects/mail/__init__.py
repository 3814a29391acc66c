"""E-mails by SMTP: the client that sends them to a real server, and the listener that takes them."""
