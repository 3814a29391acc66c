"""Requests and answers, what makes them go wrong, and what is kept of them."""
