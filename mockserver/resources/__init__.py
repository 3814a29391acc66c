"""One folder for each resource of the API, all built alike.

`model` holds rows and rules in plain Python, `schemas` what goes over the wire, `section` what a scenario has of it,
`routes` the operations. Of another resource only the model may be imported, and resources form no circle.
"""
