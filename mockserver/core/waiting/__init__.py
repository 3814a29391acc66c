"""Who waits for what: for a workspace to be free, and for something to happen in it."""
