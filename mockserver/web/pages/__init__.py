"""Pages for people: templates with one style and no script."""
