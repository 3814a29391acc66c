"""What is known of the mocked API, and how it is shown to be true: documents, fixtures, fidelity."""
