"""Words and names as text: what they may look like, and how they are compared and shown."""
