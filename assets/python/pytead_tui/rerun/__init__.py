"""Runs recorded tests again: each in a process of its own, under the pytest or in the program of the recorded session.

`python -m pytead_tui.rerun REQUEST.json`; docs/rerun.md has the request, the report, and which process does what.
"""
