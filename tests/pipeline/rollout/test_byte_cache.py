"""Caches that are bounded in bytes."""

from __future__ import annotations

import threading

from facelet.pipeline.rollout.byte_cache import ByteCache


def test_the_least_recently_used_values_are_dropped_first():
    cache: ByteCache[str, str] = ByteCache(100)
    cache.put("a", "A", 40)
    cache.put("b", "B", 40)
    assert cache.get("a") == "A"
    cache.put("c", "C", 40)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == ("A", None, "C")
    cache.put("c", "D", 60)
    assert (cache.get("c"), cache.size, len(cache)) == ("D", 100, 2)
    cache.remove("a")
    cache.remove("a")
    assert (cache.size, len(cache)) == (60, 1)


def test_a_value_larger_than_the_limit_is_kept_alone():
    cache: ByteCache[str, str] = ByteCache(100)
    cache.put("a", "A", 40)
    cache.put("b", "B", 400)
    assert (cache.get("a"), cache.get("b"), cache.size) == (None, "B", 400)


def test_several_threads_use_a_cache():
    cache: ByteCache[int, int] = ByteCache(50)
    failed: list[Exception] = []

    def use_cache(first: int) -> None:
        try:
            for number in range(5000):
                key = (first + number) % 7
                if cache.get(key) is None:
                    cache.put(key, key, 10)
                cache.remove((key + 3) % 7)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=use_cache, args=(k,)) for k in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failed and cache.size == 10 * len(cache) <= 50
