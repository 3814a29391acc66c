"""The OpenAPI document of the control API, made of the declarations of its calls."""
