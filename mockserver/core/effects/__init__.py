"""What a workspace asks of the outside, and what is under way there."""
