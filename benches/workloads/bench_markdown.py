"""Renders Markdown: very many short calls, and objects that are handed from call to call."""

from markdown_it import MarkdownIt

SIZES = {"small": 3, "large": 200}

PAGE = """\
# Release {n} of the *parser*

A paragraph with **strong**, *emphasis*, `code {n}`, a [link](https://example.org/{n} "title {n}") and an
![image](picture-{n}.png). Entities &amp; &copy;, an <em>inline tag</em> and a hard break\\
here. Autolink <https://example.org/?q={n}>.

> A quotation of {n} lines
> that goes on, and
> > is nested with `code`.

1. first item of {n}
2. second item
   - nested *one*
   - nested **two**, [reference][ref{n}]

        indented code {n}

| name | value |
|------|------:|
| a{n} | {n}   |
| b    | `x`   |

```python
def page_{n}(x):
    return x * {n}
```

[ref{n}]: https://example.org/ref/{n} 'reference'

Setext heading {n}
==================
***
"""


def main(size: str) -> int:
    parser = MarkdownIt("commonmark").enable("table")
    return sum(len(parser.render(PAGE.format(n=n))) for n in range(SIZES[size]))
