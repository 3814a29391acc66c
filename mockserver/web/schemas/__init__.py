"""What goes over the wire: schemas, their fields, and JSON."""
