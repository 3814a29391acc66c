"""What an operation promises, and every error that it can give.

Only declarations live here: nothing in this folder looks at a request.
"""
