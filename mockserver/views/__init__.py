"""Records of the control API: one class per answer, functions that make records, and redaction of secrets.

Redaction lives here, so that nothing is shown that holds a secret. No view changes anything.
"""
