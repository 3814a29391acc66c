"""The dashboard: pages under `/_mock/ui` that show what happens in a workspace, and why.

They show the views of the control API, and every button on them is a control call; a page imports them.
"""
