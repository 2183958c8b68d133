"""Coroutines and tasks: whose call is whose."""

import asyncio


async def leaf(x):
    await asyncio.sleep(0)
    return x


async def branch(x):
    first = await leaf(x)
    second = await leaf(x + 1)
    return first + second


async def failing():
    await asyncio.sleep(0)
    raise LookupError("in a task")


async def forever():
    try:
        await asyncio.Event().wait()
    finally:
        cleaned("forever")


def cleaned(name):
    return name


class Ready:
    def __init__(self, value):
        self.value = value

    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return self.value


def callback(task):
    return None


async def everything():
    results = await asyncio.gather(branch(10), branch(20))
    task = asyncio.create_task(leaf(30))
    task.add_done_callback(callback)
    results.append(await task)
    results.append(await Ready(40))
    try:
        await failing()
    except LookupError:
        results.append("failed")
    waiting = asyncio.create_task(forever())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    return results


def main():
    print(asyncio.run(everything()))


main()
