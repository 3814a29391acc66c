"""The JSON Schema of scenarios, made of the schemas by which they are loaded."""
