"""How calls of the control API are declared, taken, answered and refused.

No call lives here.
"""
