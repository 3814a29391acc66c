"""What is shown of the server, and of the API that it mocks."""
