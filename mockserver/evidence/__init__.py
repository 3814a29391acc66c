"""Evidence for the mocked API: OpenAPI document, fixtures, replay and fidelity record, all read from declarations."""
