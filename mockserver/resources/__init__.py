"""One folder per resource of the API.

`model` has rows and rules in plain Python, `schemas` wire formats, `section` scenario members, `routes` operations.
Resources import only the models of other resources, without cycles.
"""
