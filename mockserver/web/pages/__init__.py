"""Pages for people: templates with one style and no script, and the token that keeps other sites from sending forms.

No rule of the service lives here.
"""
