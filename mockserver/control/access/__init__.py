"""Who may use the control API."""
