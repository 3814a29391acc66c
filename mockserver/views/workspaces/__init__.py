"""What is shown of a workspace and of what stands in it."""
