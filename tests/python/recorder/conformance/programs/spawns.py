"""Children by multiprocessing, started anew (script only)."""

import multiprocessing


class Job:
    def __init__(self, x):
        self.x = x


def work(job):
    return Job(job.x * 2)


def main():
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        print([job.x for job in pool.map(work, [Job(1), Job(2)])])
        pool.close()
        pool.join()


if __name__ == "__main__":
    main()
