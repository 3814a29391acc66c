"""The mock's own API, under `/_mock`.

Here are the calls, each with its declaration. What they show is in `views`; what they do is in the layers below.
"""
