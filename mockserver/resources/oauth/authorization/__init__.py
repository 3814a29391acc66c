"""Authorization: the app's request, the pages for its user, the user's decision, and the redirection to the app."""
