"""What goes over the wire: schemas, their fields, field errors, evidence, and JSON.

Nothing here knows a request, a caller or a workspace.
"""
