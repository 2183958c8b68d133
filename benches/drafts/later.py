"""A pytest plugin: the tests run BENCH_DAYS days from now."""

import datetime
import os

days = int(os.environ.get("BENCH_DAYS", "0"))
if days:
    import time_machine

    time_machine.travel(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)).start()
