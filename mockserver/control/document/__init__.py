"""What the control API says of itself: its OpenAPI document, made of the declarations of its calls."""
