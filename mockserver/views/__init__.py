"""What the control API and pages show: one schema for each thing, which dumps it, documents it, and is read by clients.

Redaction lives here, so that nothing is shown that holds a secret. No view changes anything.
"""
