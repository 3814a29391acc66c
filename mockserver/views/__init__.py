"""What the control API and the pages show of something: one schema each, which dumps it and documents it.

A view is a schema. Its members read the attributes of a row by their own names; where that is not what is shown, the
member says what is, as a function of the row (`of`). `show` gives what a row looks like, as plain data with moments.
"""
