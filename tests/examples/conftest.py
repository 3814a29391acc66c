"""The examples are run as a user runs them, in a process of their own, and not collected with the other tests."""

collect_ignore = ["asyncio", "flask", "pytest", "recipes", "testcontainers_example.py", "unittest_example.py"]
