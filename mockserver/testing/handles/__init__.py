"""A server, its workspaces, and handles on the parts of a workspace, as `workspace.clock` and `workspace.mailbox`.

Their calls block; `mockserver.testing.coroutines` has the same as coroutines. They speak HTTP only, and import neither
Flask nor marshmallow.
"""
