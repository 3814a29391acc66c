"""How the pages of the dashboard are declared, written and answered."""
