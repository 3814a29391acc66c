"""Where an address leads: to which operation, for which audience, and in which workspace.

It is asked once for each request, and looks at nothing but the address and the headers that name a workspace.
"""
