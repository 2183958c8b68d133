"""Asynchronous generators, iteration and context managers."""

import asyncio
import contextlib


async def stream(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


async def talking():
    try:
        got = yield "ready"
        yield got
    except KeyError:
        yield "caught"
    finally:
        await asyncio.sleep(0)


class Lines:
    def __init__(self, left):
        self.left = left

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        self.left -= 1
        return self.left


class Lock:
    async def __aenter__(self):
        return "held"

    async def __aexit__(self, *error):
        return True


@contextlib.asynccontextmanager
async def managed(x):
    yield x


async def locked():
    async with Lock() as held, managed(2) as more:
        return held, more


async def everything():
    got = [i async for i in stream(2)]
    got += [i async for i in Lines(2)]
    talk = talking()
    got.append(await talk.__anext__())
    got.append(await talk.asend("sent"))
    await talk.aclose()
    talk = talking()
    await talk.__anext__()
    got.append(await talk.athrow(KeyError("k")))
    await talk.aclose()
    got.append(await locked())
    async for i in stream(3):
        if i:
            break
    return got


print(asyncio.run(everything()))
