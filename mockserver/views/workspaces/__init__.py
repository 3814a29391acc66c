"""What is shown of a workspace and of its state."""
