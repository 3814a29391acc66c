"""Stubs made of an OpenAPI document, 3.0 or 3.1: for each operation the smallest answer that the document allows."""
