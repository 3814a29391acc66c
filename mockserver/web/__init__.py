"""HTTP: from a socket to the answer of an operation.

Flask, uvicorn and marshmallow are known here; no resource is.
"""
