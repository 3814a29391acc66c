"""One workspace and what happens in it: plain Python that knows no framework, socket or thread."""
