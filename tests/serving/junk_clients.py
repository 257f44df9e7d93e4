"""Hostile clients against a running server: random bytes, half requests, slow readers, wrong tokens, path tricks, huge
bodies, bad JSON, sockets closed in the middle. Fails if a request that must be refused is accepted, if the server makes
a mistake (500), or if /health is not answered in time meanwhile.

usage: junk_clients.py HOST:PORT [--clients 1000] [--at-once 40] [--token TOKEN] [--stream PATH] [--upload PATH]
                       [--post PATH] [--hold SECONDS] [--seed 0]
"""

import argparse
import collections
import random
import socket
import sys
import threading
import time

PATIENCE = 20  # seconds for an answer
REFUSED = {400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 417, 431, 503, 505}
CLOSED = 0  # without an answer

PATH_TRICKS = ["/..", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/assets/..%2f..%2fetc", "/a%00.png", "*", "/%zz",
               "/%c0%ae%c0%ae/", "/v1/videos/../../x", "http://localhost/", "/" + "a/" * 5000, "/" + "a" * 60000]
BAD_JSON = [b"{", b"[]", b"nonsense", b'{"a":1,"a":2}', b'{"a":"\xff"}', b'{"a":' + b"[" * 1000 + b"]" * 1000 + b"}",
            b"\0", b"1e999999"]
UNCLEAR_ENDS = ["Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 3\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: chunked\r\n", "Content-Length: -1\r\n",
                "Content-Length: 3\r\nTransfer-Encoding: identity\r\n"]


class Client:
    """One socket. Everything that the other side does to it is a proper answer; `status` tells which."""

    def __init__(self, place):
        self.socket = socket.create_connection(place, timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def receive(self, most=65536):
        try:
            return self.socket.recv(most)
        except socket.timeout:
            raise TimeoutError(f"no answer in {PATIENCE} s") from None
        except OSError:
            return b""

    def status(self):
        answer = b""
        while b"\r\n" not in answer:
            data = self.receive()
            if not data:
                return CLOSED
            answer += data
        words = answer.split(b"\r\n")[0].split(b" ")
        return int(words[1])


class Junk:
    """The kinds of hostile clients: each method is one, and returns the status that it got."""

    def __init__(self, options, place):
        self.options, self.place = options, place
        self.right = f"Host: {options.address}\r\n"
        if options.token:
            self.right += f"Authorization: Bearer {options.token}\r\n"

    def ask(self, data):
        with Client(self.place) as client:
            client.send(data if isinstance(data, bytes) else data.encode())
            return client.status()

    def post(self, path, body, head="Content-Type: application/json\r\n"):
        return self.ask(self.head_of_post(path, len(body), head).encode() + body)

    def head_of_post(self, path, length, head="Content-Type: application/json\r\n"):
        return f"POST {path} HTTP/1.1\r\n{self.right}{head}Content-Length: {length}\r\n\r\n"

    def random_bytes(self, draw):
        return self.ask(draw.randbytes(draw.randint(1, 5000)))

    def half_request(self, draw):
        text = self.head_of_post(self.options.post, 50) + "{"
        with Client(self.place) as client:
            client.send(text[: draw.randint(1, len(text))].encode())
            time.sleep(draw.random() * self.options.hold)
        return CLOSED

    def trickle(self, draw):
        with Client(self.place) as client:
            until = time.monotonic() + draw.random() * self.options.hold
            client.send(b"GET / HTTP/1.1\r\n")
            while time.monotonic() < until and client.send(b"A: b\r\n"):
                time.sleep(0.05)
        return CLOSED

    def slow_reader(self, draw):
        with Client(self.place) as client:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.send(f"GET {self.options.stream} HTTP/1.1\r\n{self.right}\r\n".encode())
            time.sleep(draw.random() * self.options.hold)
            client.receive(1)
        return CLOSED

    def leaves_in_the_middle(self, draw):
        with Client(self.place) as client:
            client.send(f"GET {self.options.stream} HTTP/1.1\r\n{self.right}\r\n".encode())
            for _ in range(draw.randint(0, 3)):
                client.receive(512)
            if draw.random() < 0.5:  # an abrupt end: the other side gets a reset
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        return CLOSED

    def wrong_token(self, draw):
        guess = draw.choice(["", "x", "Bearer ", "Bearer " + (self.options.token or "none")[:-1], "Basic eDp5"])
        headers = f"Host: {self.options.address}\r\nAuthorization: {guess}\r\n"
        status = self.ask(f"GET /v1/videos HTTP/1.1\r\n{headers}\r\n")
        return status if self.options.token else 401

    def wrong_host(self, draw):
        host = draw.choice(["evil.example", "", "localhost.evil.example", "127.0.0.1.evil.example:80", "[", "a b"])
        return self.ask(f"GET / HTTP/1.1\r\n{self.right}".replace(self.options.address, host) + "\r\n")

    def wrong_origin(self, draw):
        origin = draw.choice(["http://evil.example", "null", "http://localhost:1", "file://"])
        return self.ask(f"GET /v1/videos HTTP/1.1\r\n{self.right}Origin: {origin}\r\n\r\n")

    def path_trick(self, draw):
        path = draw.choice(PATH_TRICKS)
        return self.ask(f"GET {path} HTTP/1.1\r\n{self.right}\r\n")

    def huge_body(self, draw):
        with Client(self.place) as client:
            path = draw.choice([self.options.post, self.options.upload])
            client.send(self.head_of_post(path, 10**10, "Content-Type: image/png\r\n").encode())
            for _ in range(40):
                if not client.send(b"x" * 65536):
                    break
            return client.status()

    def huge_head(self, draw):
        return self.ask(f"GET / HTTP/1.1\r\n{self.right}X: {'x' * draw.randint(20000, 200000)}\r\n\r\n")

    def bad_json(self, draw):
        return self.post(self.options.post, draw.choice(BAD_JSON))

    def wrong_type(self, draw):
        head = draw.choice(["", "Content-Type: text/plain\r\n", "Content-Type: text/html\r\n"])
        return self.post(self.options.post, b"{}", head)

    def smuggling(self, draw):
        head = f"{self.right}Content-Type: application/json\r\n{draw.choice(UNCLEAR_ENDS)}"
        return self.ask(f"POST {self.options.post} HTTP/1.1\r\n{head}\r\n0\r\n\r\nGET /v1/videos HTTP/1.1\r\n\r\n")

    def bad_upload(self, draw):
        content = draw.choice([b"", b"\x89PNG\r\n\x1a\n"]) + draw.randbytes(5000)
        return self.post(self.options.upload, content, "Content-Type: image/png\r\n")

    def silent(self, draw):
        with Client(self.place):
            time.sleep(draw.random() * self.options.hold)
        return CLOSED


HELPERS = ("ask", "post", "head_of_post")
KINDS = [name for name in vars(Junk) if not name.startswith("_") and name not in HELPERS]


class Run:
    def __init__(self, options):
        host, port = options.address.rsplit(":", 1)
        self.options, self.place = options, (host.strip("[]"), int(port))
        self.junk = Junk(options, self.place)
        self.statuses = collections.defaultdict(collections.Counter)
        self.faults, self.lock = [], threading.Lock()
        self.left = iter(range(options.clients))
        self.health_times = []

    def one(self, number):
        draw = random.Random(self.options.seed * 1_000_003 + number)
        kind = KINDS[number % len(KINDS)]
        try:
            status = getattr(self.junk, kind)(draw)
        except (ConnectionError, TimeoutError, ValueError) as error:
            status, is_right = str(error), isinstance(error, ConnectionError)
        else:
            is_right = status == CLOSED or status in REFUSED
        with self.lock:
            self.statuses[kind][status] += 1
            if not is_right:
                self.faults.append(f"client {number} ({kind}) got {status}")

    def work(self):
        while True:
            with self.lock:
                number = next(self.left, None)
            if number is None:
                return
            self.one(number)

    def health(self):
        begin = time.monotonic()
        with Client(self.place) as client:
            client.send(f"GET /health HTTP/1.1\r\nHost: {self.options.address}\r\nConnection: close\r\n\r\n".encode())
            return client.status(), time.monotonic() - begin

    # 503 is right while the junk fills all connections.
    def check_health(self, may_be_full):
        status, took = self.health()
        self.health_times.append(took)
        if status != 200 and not (may_be_full and status in (CLOSED, 503)):
            self.faults.append(f"/health answered {status}")
        if took > 5:
            self.faults.append(f"/health took {took:.1f} s")

    def all(self):
        threads = [threading.Thread(target=self.work) for _ in range(self.options.at_once)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.check_health(may_be_full=True)
            time.sleep(0.1)
        time.sleep(0.5)
        self.check_health(may_be_full=False)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("address")
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=40)
    parser.add_argument("--token", default="")
    parser.add_argument("--stream", default="/v1/events")
    parser.add_argument("--upload", default="/v1/uploads")
    parser.add_argument("--post", default="/v1/videos")
    parser.add_argument("--hold", type=float, default=2.0, help="longest time that a client holds a connection")
    parser.add_argument("--seed", type=int, default=0)
    run = Run(parser.parse_args())
    run.all()
    for kind, statuses in run.statuses.items():
        counts = (f"{'closed' if status == CLOSED else status}: {n}" for status, n in sorted(statuses.items(), key=str))
        print(f"{kind:22}", ", ".join(counts))
    for fault in run.faults[:20]:
        print("FAILED:", fault)
    slowest = max(run.health_times) * 1000
    print(f"{run.options.clients} clients, {len(run.faults)} wrong answers; /health took at most {slowest:.0f} ms")
    return 1 if run.faults else 0


if __name__ == "__main__":
    sys.exit(main())
