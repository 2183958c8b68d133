"""Uses aiocache as a service does that keeps what slow neighbours said: keys, life times, locks, decorators."""

import asyncio
import urllib.parse  # noqa: F401 (aiocache needs it and does not import it)

from aiocache import Cache, cached, caches, multi_cached
from aiocache.lock import OptimisticLock, OptimisticLockError, RedLock
from aiocache.plugins import HitMissRatioPlugin, TimingPlugin
from aiocache.serializers import JsonSerializer, NullSerializer, PickleSerializer, StringSerializer


def prefixed(key, namespace):
    return f"{namespace or 'shop'}/{key}"


@cached(key="rates", serializer=JsonSerializer())
async def rates():
    return {"FR": 0.2, "DE": 0.19}


@cached(key_builder=lambda function, *args, **kwargs: f"price-{args[0]}", ttl=60)
async def price(item):
    return len(item) * 10


@multi_cached(keys_from_attr="ids")
async def names(ids=()):
    return {one: f"name {one}" for one in ids}


async def keys_and_values():
    cache = Cache(Cache.MEMORY)
    await cache.set("lamp", 19.5)
    await cache.get("lamp")
    await cache.get("desk", default="none")
    await cache.add("desk", 120)
    try:
        await cache.add("desk", 130)
    except ValueError:
        pass
    await cache.exists("desk"), await cache.exists("chair")
    await cache.multi_set([("pen", 1.25), ("ink", 3)])
    await cache.multi_get(["pen", "ink", "paper"])
    await cache.increment("sold"), await cache.increment("sold", delta=3)
    try:
        await cache.increment("text-value", delta=1)
        await cache.set("word", "abc")
        await cache.increment("word")
    except TypeError:
        pass
    await cache.expire("pen", 30), await cache.expire("nothing", 30)
    await cache.delete("pen"), await cache.delete("pen")
    await cache.clear()
    await cache.close()


async def names_and_namespaces():
    async with Cache(Cache.MEMORY, namespace="test:", ttl=10) as cache:
        await cache.set("a", [1, 2])
        await cache.get("a")
        await cache.get("a", namespace="other:")
        await cache.set("b", 1, namespace="other:", ttl=5)
        await cache.clear(namespace="other:")
        await cache.raw("get", "test:a")
    async with Cache(Cache.MEMORY, key_builder=prefixed) as cache:
        await cache.set("a", 1)
        await cache.get("a")


async def forms():
    for serializer in (JsonSerializer(), PickleSerializer(), StringSerializer(), NullSerializer()):
        serializer.loads(serializer.dumps({"a": 1}))
        serializer.dumps([1, "two", None])
    JsonSerializer().loads(None)
    PickleSerializer().loads(None)
    async with Cache(Cache.MEMORY, serializer=JsonSerializer()) as cache:
        await cache.set("report", {"north": [1, 2], "south": []})
        await cache.get("report")


async def decorators():
    await rates(), await rates()
    await price("lamp"), await price("desk"), await price("lamp")
    await names(ids=["a", "b"]), await names(ids=["b", "c"])


async def locks():
    cache = Cache(Cache.MEMORY)
    async with RedLock(cache, "report", 2):
        await cache.set("report", "made")
    await cache.set("stock", 5)
    async with OptimisticLock(cache, "stock") as lock:
        await lock.cas(4)
    try:
        async with OptimisticLock(cache, "stock") as lock:
            await cache.set("stock", 9)
            await lock.cas(3)
    except OptimisticLockError:
        pass


async def watched():
    cache = Cache(Cache.MEMORY, plugins=[HitMissRatioPlugin(), TimingPlugin()])
    await cache.set("a", 1)
    await cache.get("a"), await cache.get("b")
    await cache.multi_get(["a", "b"])
    cache.hit_miss_ratio["hit_ratio"]


def configured():
    caches.set_config(
        {
            "default": {"cache": "aiocache.SimpleMemoryCache"},
            "reports": {
                "cache": "aiocache.SimpleMemoryCache",
                "serializer": {"class": "aiocache.serializers.JsonSerializer"},
            },
        }
    )
    caches.get_config()
    caches.get_alias_config("reports")
    caches.get("reports")
    caches.add("pages", {"cache": "aiocache.SimpleMemoryCache"})
    try:
        caches.get("nothing")
    except KeyError:
        pass
    try:
        caches.set_config({"reports": {}})
    except ValueError:
        pass
    Cache.from_url("memory://")
    Cache.get_scheme_class("memory")
    try:
        Cache.from_url("carrier-pigeon://")
    except Exception:
        pass


async def main():
    await keys_and_values()
    await names_and_namespaces()
    await forms()
    await decorators()
    await locks()
    await watched()


asyncio.run(main())
configured()
