from .tools import shout

__all__ = ["shout"]
