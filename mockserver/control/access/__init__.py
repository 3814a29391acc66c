"""Who may use the control API: the control token, and the guard against other origins."""
