"""The process that holds the plugins of one YAML test: loads them, calls their tools, cleans up after them.

`python -m pytead_tui.plugin_host` speaks frames with pytead-tui on descriptors that plugins do not see: what they print
goes elsewhere. One process a test, so that nothing is shared between tests.
"""
