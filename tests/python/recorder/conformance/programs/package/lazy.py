from package import tools


def later(text):
    return text + "!"


KNOWN = later(tools.__name__)
