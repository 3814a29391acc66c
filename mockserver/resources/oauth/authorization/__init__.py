"""A user who lets an app in: the app's request, the pages, the user's answer, and the way back."""
