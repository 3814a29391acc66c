"""The machines of the dashboard: how their drawings are laid out, and which of their instances are listed."""
