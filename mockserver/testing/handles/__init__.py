"""Server, workspaces, and handles for parts of a workspace such as `workspace.clock`.

Their calls block; `mockserver.testing.coroutines` has coroutines for all of them. They speak HTTP only, and import
neither Flask nor marshmallow.
"""
