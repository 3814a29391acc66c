"""Operations outside of the mock: the catalogue, stubs, shaped answers and forwarding.

What recognises and answers requests is imported when the first one comes that no operation of the mock answers.
"""
