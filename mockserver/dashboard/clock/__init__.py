"""What the page "Clock" shows: what is due, and where that stands on a line."""
