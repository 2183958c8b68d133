"""The clauses of judging.py as a person would assert them in plain Python, over the JSON lines of the same journey.

    plainly.py JOURNEY ROUNDS

Prints the seconds of each, in the clauses' order; reading the lines is not counted. Started by judging.py. They say whether a
clause holds, and neither where nor why not.
"""

import json
import sys
import time
from collections import Counter


def called(events: list, name: str) -> list:
    """Gives the calls of a function of the journey's module."""
    return [event for event in events if event["event"] == "call" and event["function"] == "shop:" + name]


def returned(events: list, calls: list) -> dict:
    """Gives what calls returned, by their numbers."""
    numbers = {call["call"] for call in calls}
    return {e["call"]: e["value"] for e in events if e["event"] == "return" and e["call"] in numbers}


def lines(calls: list) -> list:
    return [call["line"] for call in calls]


def at_least_twice(events: list) -> bool:
    return len(called(events, "write")) >= 2


def before(events: list) -> bool:
    return min(lines(called(events, "read"))) < min(lines(called(events, "write")))


def followed(events: list) -> bool:
    return max(lines(called(events, "read"))) < max(lines(called(events, "write")))


def matching(events: list) -> bool:
    waiting = 0
    for event in events:
        if event["event"] == "call":
            if event["function"] == "shop:read":
                waiting += 1
            elif event["function"] == "shop:write" and waiting:
                waiting -= 1
    return waiting == 0


def if_seven(events: list) -> bool:
    sevens = {"int": 7} in returned(events, called(events, "read")).values()
    return not sevens or bool(called(events, "write"))


def calls_write(events: list) -> bool:
    turns = {turn["call"] for turn in called(events, "turn")}
    return turns == {write["parent"] for write in called(events, "write") if write["parent"] in turns}


def only_inside(events: list) -> bool:
    parents = {event["call"]: event for event in events if event["event"] == "call"}

    def inside(call: dict) -> bool:
        while call["parent"] is not None:
            call = parents[call["parent"]]
            if call["function"] == "shop:turn":
                return True
        return False

    return all(inside(write) for write in called(events, "write"))


def result_of(events: list) -> bool:
    writes = called(events, "write")
    values = returned(events, writes)
    found = {write["parent"]: values[write["call"]] for write in writes}
    return all(value == found[turn] for turn, value in returned(events, called(events, "turn")).items())


def with_number(events: list) -> bool:
    known, reads = set(), set()
    for event in events:
        if event["event"] == "return":
            if event["call"] in reads:
                known.add(json.dumps(event["value"]))
        elif event["function"] == "shop:read":
            reads.add(event["call"])
        elif event["function"] == "shop:write" and json.dumps(event["args"][0]["value"]) not in known:
            return False
    return True


def once_in_each(events: list) -> bool:
    counts = Counter(write["parent"] for write in called(events, "write"))
    return all(counts[turn["call"]] == 1 for turn in called(events, "turn"))


def once_per_number(events: list) -> bool:
    counts = Counter(json.dumps(write["args"][0]["value"]) for write in called(events, "write"))
    return max(counts.values()) <= 1


def never_between(events: list) -> bool:
    between = False
    for event in events:
        if event["event"] == "call":
            if event["function"] == "shop:turn" and between:
                return False
            between = event["function"] == "shop:read" or between and event["function"] != "shop:write"
    return True


def not_concurrent(events: list) -> bool:
    running: dict = {}
    for event in events:
        if event["event"] == "call" and event["function"] == "shop:turn":
            if any(place != (event["thread"], event["task"]) for place in running.values()):
                return False
            running[event["call"]] = event["thread"], event["task"]
        elif event["event"] != "call":
            running.pop(event["call"], None)
    return True


# `write is called only after read` is `before` on a journey: the first of each decide.
WAYS = [
    at_least_twice, before, before, followed, matching, if_seven, calls_write, only_inside, result_of, with_number,
    once_in_each, once_per_number, never_between, not_concurrent,
]  # fmt: skip


def main() -> None:
    journey, rounds = sys.argv[1:]
    with open(journey, encoding="utf-8") as file:
        told = [json.loads(line) for line in file]
    events = [line["value"] for line in told if line["result"] == "event"]
    seconds = []
    for way in WAYS:
        times = []
        for _ in range(int(rounds)):
            begin = time.perf_counter()
            holds = way(events)
            times.append(time.perf_counter() - begin)
            assert holds, way.__name__
        seconds.append(sorted(times)[len(times) // 2])
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
