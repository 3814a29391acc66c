"""One room per resource of the API, all furnished alike."""
