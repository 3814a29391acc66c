"""What goes over the wire: schemas, their fields, their mistakes, and JSON.

Nothing here knows a request, a caller or a workspace.
"""
