"""Work on threads: in order, with its errors, and no more of it at once than was said."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from facelet.pipeline.scoring.worker_pool import each_ahead, run_beside


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_work(threads):
    inside, most = [], []
    guard = threading.Lock()

    def make_result(number):
        with guard:
            inside.append(number)
            most.append(len(inside))
        time.sleep(0.002 * (number % 3))
        with guard:
            inside.remove(number)
        return number * number

    assert list(each_ahead(make_result, range(40), threads)) == [
        number * number for number in range(40)
    ]
    assert max(most) <= threads and (threads == 1 or max(most) > 1)


def test_jobs_are_taken_as_they_are_needed():
    taken = []

    def iterate_jobs():
        for number in range(100):
            taken.append(number)
            yield number

    results = each_ahead(abs, iterate_jobs(), 2)
    assert next(results) == 0
    assert len(taken) <= 4
    results.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_what_the_work_raises_is_raised(threads):
    before = sys.getswitchinterval()
    results = each_ahead(lambda number: 1 // number, [2, 1, 0, 1], threads)
    with pytest.raises(ZeroDivisionError):
        list(results)
    with pytest.raises(ZeroDivisionError), run_beside(lambda: print(1 // 0), threads):
        pass
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_done_meanwhile_is_done_at_the_end(threads):
    done = []
    with run_beside(lambda: done.append(threading.get_ident()), threads):
        pass
    assert len(done) == 1 and (done[0] == threading.get_ident()) == (threads == 1)
    with pytest.raises(KeyError), run_beside(lambda: done.append(0), threads):
        raise KeyError
