"""What the page "Workspaces" makes of what is known of them."""
