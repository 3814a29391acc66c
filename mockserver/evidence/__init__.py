"""What is known of the mocked API, and how it is shown to be true: its OpenAPI document, fixtures, replay, fidelity.

Everything here is read off declarations and fixtures; no fact is written down here.
"""
