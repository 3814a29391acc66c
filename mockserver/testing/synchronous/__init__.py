# Written by .ci/synchronous.py out of asynchronous/__init__.py, where it is to be changed.
"""A server, its workspaces, and handles on the parts of a workspace, as `workspace.clock` and `workspace.mailbox`.

They block, and are made out of the coroutines. They speak HTTP only, and import neither Flask nor
marshmallow.
"""
