"""The recorder that runs inside the user's program and writes the spool of docs/spool.md.

It imports only builtin and C modules, so that no file of the program can take a module's place and
no module is loaded that the program would not have loaded itself.
"""
