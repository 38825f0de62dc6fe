"""Many processes at one budget, some of them killed: what was granted is what was charged.

Would catch: a sum that is read before others have written theirs, a charge that a crash takes back, a grant that
was never written, a release that a rerun draws again.
"""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import spark_dp as dp

WORKER = Path(__file__).with_name("worker.py")
WORKERS, TIMES = 16, 200


def start(*arguments):
    return subprocess.Popen([sys.executable, str(WORKER), *arguments], stdout=subprocess.PIPE, text=True)


def spending(url, total, epsilon):
    dp.Ledger(url).budget("b", total=total)
    return [start("spend", url, total, epsilon, str(TIMES), str(worker)) for worker in range(WORKERS)]


def charged(url):
    return [charge.entry.release_id for charge in dp.Ledger(url).history("b")]


def test_processes_that_spend_at_once_never_overspend(url):
    """Each asks for a 2,000th of the budget, 3,200 in all: 2,000 are granted, of which none is lost."""
    working = spending(url, "1", "0.0005")
    granted = [name for worker in working for name in worker.communicate(timeout=300)[0].split()]
    assert [worker.returncode for worker in working] == [0] * WORKERS
    assert len(granted) == len(set(granted)) == 2000
    assert sorted(charged(url)) == sorted(granted)
    assert dp.Ledger(url).balances()[0].remaining == "0"


def test_killed_processes_leave_every_charge_behind(url):
    working = spending(url, "1", "0.0005")
    chance = random.Random(8)
    time.sleep(2)
    for worker in chance.sample(working, 10):
        worker.send_signal(signal.SIGKILL)
        time.sleep(chance.random() / 2)
    granted = [name for worker in working for name in worker.communicate(timeout=300)[0].split()]
    kept = charged(url)
    assert set(granted) <= set(kept)
    # A process may die between the charge and the word of it: at most once each.
    assert len(kept) - len(granted) <= 10
    assert len(kept) == len(set(kept)) <= 2000
    # What is left is what was not charged, and can be spent to the last billionth.
    again = start("spend", url, "1", "0.0005", "2001", "again")
    more = again.communicate(timeout=300)[0].split()
    assert len(kept) + len(more) == 2000
    assert dp.Ledger(url).balances()[0].remaining == "0"


@pytest.mark.parametrize(
    "step",
    ["before reserve", "after reserve", "while counting", "after the draw", "after commit", "after printing", "never"],
)
def test_a_release_that_was_killed_at_any_step_is_one_release_when_it_is_run_again(url, step):
    broken = start("release", url, step)
    seen = broken.communicate(timeout=60)[0]
    assert broken.returncode == (0 if step == "never" else -signal.SIGKILL)
    answers = {start("release", url, "never").communicate(timeout=60)[0] for _ in range(2)}
    # 20 draws of 5 values come out alike by chance once in 10^13.
    assert len(answers) == 1
    assert not seen or {seen} == answers
    (charge,) = dp.Ledger(url).history()
    assert (charge.cost, charge.state) == ("1", "released")


def test_releases_of_one_name_that_run_at_once_show_one_answer(url):
    running = [start("release", url, "never") for _ in range(6)]
    answers = {worker.communicate(timeout=60)[0] for worker in running}
    assert len(answers) == 1
    assert len(dp.Ledger(url).history()) == 1
