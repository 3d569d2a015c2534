"""The Java helpers: restarts, odd texts, and their end with the parent process."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from scorers import Item, JavaError, Session, parse_metrics
from scorers.batch import Services
from scorers.java.client import JavaClient
from tests.scorers.scorer_texts import ITEMS
from tests.waiting import wait_for

REPOSITORY = Path(__file__).resolve().parents[2]
TEXTS = [f"Sentence number {i} isn't the U.S. one, is it?" for i in range(20_000)]


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def running_pid(process: JavaClient) -> int:
    wait_for(lambda: process.pid is not None)
    assert process.pid is not None
    return process.pid


def start_script(body: str) -> subprocess.Popen[str]:
    """A Python process that runs `body` in the repository's root."""
    return subprocess.Popen(
        [sys.executable, "-c", body], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
    )


def read_pids(script: subprocess.Popen[str]) -> list[int]:
    assert script.stdout is not None
    return [int(pid) for pid in script.stdout.readline().split()]


def test_a_tokeniser_killed_between_requests_is_restarted() -> None:
    services = Services()
    services.tokenise("ptb", ["Warm up."])
    first = running_pid(services._ptb)
    os.kill(first, signal.SIGKILL)
    assert services.tokenise("ptb", ["It's back."]) == {"It's back.": "it 's back"}
    assert services._ptb.pid != first
    services.close()


def test_a_tokeniser_killed_during_a_request_is_restarted() -> None:
    services = Services()
    expected = services.tokenise("ptb", TEXTS)
    services.close()
    services = Services()
    tokens: dict[str, str] = {}
    thread = threading.Thread(target=lambda: tokens.update(services.tokenise("ptb", TEXTS)))
    thread.start()
    # Once only: the client restarts a helper once for a request, and a second kill may hit that.
    os.kill(running_pid(services._ptb), signal.SIGKILL)
    thread.join()
    assert tokens == expected
    services.close()


@pytest.mark.slow
def test_a_meteor_killed_during_a_request_is_restarted(session: Session) -> None:
    metric = parse_metrics("meteor")[0]
    words = ["the", "mill", "burned", "down", "and", "nobody", "saw", "it", "happen"]
    items = [Item(" ".join([*words[i % 7 :], str(i)]), (" ".join(words),)) for i in range(3000)]
    expected = session.score(metric, items)
    services = session.services
    services._meteor_results.clear()
    victim = running_pid(services._meteor)
    threading.Timer(0.05, os.kill, (victim, signal.SIGKILL)).start()
    assert session.score(metric, items).tolist() == expected.tolist()
    assert services._meteor.pid != victim


def test_a_helper_that_does_not_start_is_a_java_error_with_its_output() -> None:
    process = JavaClient("no such service")  # type: ignore[arg-type]
    with pytest.raises(
        JavaError, match=r"ended twice during a request: exit status 1; it printed: [\s\S]*KeyError"
    ):
        process.request([])
    assert process.pid is None


def test_a_failing_request_is_a_java_error_and_the_helper_stays_usable() -> None:
    process = JavaClient("ptb")
    with pytest.raises(JavaError, match="TypeError"):
        process.request(5)
    pid = process.pid
    assert process.request(["Fine."]) == ["fine"]
    assert process.pid == pid
    process.close()
    assert pid is not None and gone(pid)


def test_a_helper_ignores_the_interrupt_of_its_terminal() -> None:
    process = JavaClient("ptb")
    process.request(["a"])
    pid = running_pid(process)
    os.kill(pid, signal.SIGINT)
    time.sleep(0.2)
    assert process.request(["b"]) == ["b"]
    assert process.pid == pid
    process.close()


def test_odd_texts_do_not_break_the_protocol(session: Session) -> None:
    many_words = "one two three four five " * 1000
    odd = ["a ||| b ||| c", "line\nbreak\r\nand\u2028more\x85", "lone \ud800\udbff \udc00", "\x00"]
    odd += ["😀 👩‍👩‍👧 🏴‍☠️", "שלום עולם ‏مرحبا", "\ufeff\u200b\u202e", "|||", " ||| ", many_words]
    metrics = parse_metrics("bleu-4,rouge-l,meteor,cider,token-f1,chrf", "joint")
    items = [Item(text, ("a plain reference",)) for text in odd]
    items += [Item("a plain candidate", (text,)) for text in odd]
    items += [Item(text, tuple(odd[:-1] * 30)) for text in odd[:-1]]
    scores = session.score_all(metrics, items)
    for metric in metrics:
        assert ((scores[metric.name] >= 0) & (scores[metric.name] <= metric.range[1] + 1e-9)).all()


def test_bars_do_not_separate_texts(session: Session) -> None:
    metric = parse_metrics("meteor", "joint")[0]
    bars = Item("left ||| right", ("left ||| right",))
    plain = Item("left right", ("left right",))
    assert session.score(metric, [bars])[0] == session.score(metric, [plain])[0] == 1.0


def test_threads_share_a_session(session: Session) -> None:
    metrics = parse_metrics("bleu-2,rouge-l,meteor,cider,google-rouge-1,ter")
    expected = {k: v.tolist() for k, v in session.score_all(metrics, ITEMS).items()}
    results: list[object] = []

    def work() -> None:
        scores = session.score_all(metrics, ITEMS)
        results.append({name: values.tolist() for name, values in scores.items()})

    session.services._meteor_results.clear()
    session.services._tokens["ptb"].clear()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


PARENT = """
import os, sys, time
from scorers.batch import Services
services = Services()
services.tokenise("ptb", ["a"])
{extra}
print(services._ptb.pid, {pids}, flush=True)
{then}
"""


@pytest.mark.parametrize(
    "extra",
    ["", "if os.fork() == 0: time.sleep(600); os._exit(0)"],
    ids=["alone", "with a sibling that holds the pipe open"],
)
def test_a_helper_ends_when_its_parent_is_killed(extra: str) -> None:
    script = start_script(PARENT.format(extra=extra, pids="''", then="time.sleep(600)"))
    (helper,) = read_pids(script)
    siblings = psutil.Process(script.pid).children()
    assert psutil.pid_exists(helper)
    script.kill()
    script.wait()
    wait_for(lambda: gone(helper))
    for sibling in siblings:
        if sibling.pid != helper:
            sibling.kill()


def test_a_helper_at_work_ends_when_its_parent_is_killed() -> None:
    body = """
import random, threading
words = [str(n) for n in range(400)]
text = lambda: " ".join(random.choice(words) for _ in range(6000))
threading.Thread(target=services.meteor, args=([(text(), (text(),))],), daemon=True).start()
while services._meteor.pid is None: time.sleep(0.01)
time.sleep(2)
"""
    pids = "services._meteor.pid"
    script = start_script(PARENT.format(extra=body, pids=pids, then="time.sleep(600)"))
    helpers = read_pids(script)
    assert len(helpers) == 2 and all(map(psutil.pid_exists, helpers))
    script.kill()
    script.wait()
    wait_for(lambda: all(map(gone, helpers)))


def test_a_helper_ends_with_a_process_that_never_closed_it() -> None:
    script = start_script(PARENT.format(extra="", pids="''", then=""))
    (helper,) = read_pids(script)
    assert script.wait(300) == 0
    wait_for(lambda: gone(helper))


def test_a_forked_process_uses_a_helper_of_its_own() -> None:
    body = """
first = services._ptb.pid
child = os.fork()
if child == 0:
    ok = services.tokenise("ptb", ["In the child."]) == {"In the child.": "in the child"}
    own = services._ptb.pid
    services.close()
    os._exit(0 if ok and own != first else 1)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
ok = services.tokenise("ptb", ["In the parent."]) == {"In the parent.": "in the parent"}
"""
    then = "sys.exit(0 if ok and status == 0 and services._ptb.pid == first else 1)"
    script = start_script(PARENT.format(extra=body, pids="''", then=then))
    assert script.wait(300) == 0


def test_an_interrupted_request_leaves_a_session_that_works() -> None:
    body = """
import _thread, threading
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    services.tokenise("ptb", ["Some text, number %d." % i for i in range(200000)])
    interrupted = False
except KeyboardInterrupt:
    interrupted = True
answer = services.tokenise("ptb", ["Still right?"])
"""
    then = "sys.exit(0 if interrupted and answer == {'Still right?': 'still right'} else 1)"
    script = start_script(PARENT.format(extra=body, pids="''", then=then))
    assert script.wait(300) == 0
