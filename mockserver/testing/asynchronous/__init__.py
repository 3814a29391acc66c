"""A server, its workspaces, and handles on the parts of a workspace, as `workspace.clock` and `workspace.mailbox`.

They are coroutines, for code that runs under asyncio or trio. They speak HTTP only, and import neither Flask nor
marshmallow.
"""
