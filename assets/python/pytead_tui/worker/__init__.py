"""The contained Python that makes recorded calls again: docs/worker.md.

One server (server.py) forks for each request, that fork (request.py) imports the project and forks for each call, and
only there a call is built (rebuild.py), made (call.py) and looked at (capture.py).
"""
