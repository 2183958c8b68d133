"""Formats SQL statements: generators in generators, and trees of tokens."""

import sqlparse

SIZES = {"small": 1, "large": 24}

STATEMENTS = (
    "select a.id, b.name, count(*) as n{n} from table_{n} a left join other b on a.id = b.a_id where a.x > {n} group by 1, 2",
    "insert into t{n} (id, name, price) values ({n}, 'name {n}', {n}.5), (2, 'other', null)",
    "update t set name = 'x{n}', price = price * 1.{n} where id in (1, 2, {n}) -- a comment",
    "create table t{n} (id integer primary key, name varchar({n}) not null, created timestamp default now())",
)


def main(size: str) -> int:
    length = 0
    for n in range(SIZES[size]):
        for statement in STATEMENTS:
            text = statement.format(n=n)
            length += len(sqlparse.format(text, reindent=True, keyword_case="upper"))
            length += len(sqlparse.split(text + "; " + text))
    return length
