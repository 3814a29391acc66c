"""Pages for people: script-free templates with a shared style, and CSRF tokens."""
