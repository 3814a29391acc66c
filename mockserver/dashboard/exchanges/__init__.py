"""What the page Requests shows: the journal as a list, and one exchange of it."""
