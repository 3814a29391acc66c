"""What lies beyond the operations that the mock has: operations that only the service has, and stubs that answer.

What recognises and answers requests is imported when the first one comes that no operation of the mock answers.
"""
