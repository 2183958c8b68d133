"""Compiles and renders templates: a lexer, a parser, a code generator, and the templates' own code."""

from jinja2 import DictLoader, Environment

SIZES = {"small": 2, "large": 48}

BASE = "<title>{% block title %}{% endblock %}</title><body>{% block body %}{% endblock %}</body>"
PAGE = """\
{% extends "base" %}
{% macro price(x, currency="EUR") %}{{ "%.2f"|format(x) }} {{ currency }}{% endmacro %}
{% block title %}Page {{ page.number }}: {{ page.name|title }}{% endblock %}
{% block body %}
{% for item in items if item.price > THRESHOLD %}
  {{ loop.index }}. {{ item.name|upper|e }} {{ price(item.price) }}{% if not loop.last %},{% endif %}
  {% set total = item.price * item.count %}{{ total|round(2) }}
{% else %}nothing{% endfor %}
{{ items|map(attribute="name")|join(", ") }} {{ items|length }} {{ page|default("none") }}
{% endblock %}
"""


def main(size: str) -> int:
    length = 0
    for n in range(SIZES[size]):
        environment = Environment(loader=DictLoader({"base": BASE, "page": PAGE.replace("THRESHOLD", str(n))}))
        items = [{"name": "item %d" % i, "price": i * 1.5, "count": i % 3} for i in range(20)]
        page = {"number": n, "name": "page of %d" % n}
        length += len(environment.get_template("page").render(items=items, page=page))
    return length
