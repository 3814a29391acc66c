"""Pages of the dashboard, one module per page."""
