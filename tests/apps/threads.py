"""Threads that use their stacks deeply. Prints answers, then "ready"; ends with its input."""
import hashlib
import json
import sys
import threading

THREADS = 32
DEPTH = 30000

over = threading.Event()
worked = threading.Barrier(THREADS + 1)
answers = [None] * THREADS


def work(number):
    # The parser written in C recurses on the C stack.
    nested = json.loads("[" * (DEPTH + number) + "]" * (DEPTH + number))
    depth = 0
    while nested:
        nested = nested.pop()
        depth += 1
    answers[number] = (depth, hashlib.sha256(b"%d" % number * 100000).hexdigest())
    worked.wait()
    over.wait()


sys.setrecursionlimit(DEPTH * 2)
threading.stack_size(16 << 20)
threads = [threading.Thread(target=work, args=(n,)) for n in range(THREADS)]
for thread in threads:
    thread.start()
worked.wait()
for answer in answers:
    print(*answer)
print("ready", flush=True)
sys.stdin.read()
over.set()
for thread in threads:
    thread.join()
