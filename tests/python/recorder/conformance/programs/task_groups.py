"""Task groups, timeouts and exception groups (Python 3.11)."""

import asyncio


async def work(n):
    await asyncio.sleep(0)
    return n


async def breaks():
    await asyncio.sleep(0)
    raise ValueError("broken")


async def both():
    async with asyncio.TaskGroup() as group:
        one = group.create_task(work(1))
        two = group.create_task(work(2))
    return one.result() + two.result()


async def partly():
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(breaks())
    except* ValueError as caught:
        found = len(caught.exceptions)
    return found


async def main():
    print(await both(), await partly())


asyncio.run(main())
