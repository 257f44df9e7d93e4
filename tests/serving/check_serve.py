"""`sgf serve` as programs meet it: videos and live streams over HTTP, directed, branched, killed and restarted; every command of
docs/serving.md; hostile clients and a full disk while streams run. What a client gets is compared with `sgf redo`.

usage: check_serve.py SGF SOURCES [--clients 150] [--sessions 20] [--soak SECONDS]
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

RED = "a slow red disc and a slow green square on a grey field"
BLUE = "a fast blue disc and a slow green square on a grey field"
FAILURES = []


def expect(holds, what):
    if not holds:
        FAILURES.append(what)
        print("FAIL:", what)


class Server:
    """A running `sgf serve` on a free port."""

    def __init__(self, program, folder, *options, limit=None):
        def prepare():
            if limit is not None:  # a file that grows beyond it fails with EFBIG, as one on a full disk does with ENOSPC
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        command = [program, "serve", "--folder", str(folder), "--port", "0", "--json", "--quiet", "--threads", "1", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the server did not start: " + self.process.stderr.read())
        self.url = json.loads(line)["url"].split("?")[0].rstrip("/")
        self.port = json.loads(line)["port"]
        self.token = (json.loads(line)["url"].split("token=") + [""])[1]
        self.words = []
        threading.Thread(target=lambda: self.words.extend(self.process.stderr), daemon=True).start()

    def open(self, method, path, body=None, headers=None, timeout=60):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=dict(headers or {}))
        if data is not None:
            request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        return urllib.request.urlopen(request, timeout=timeout)

    def ask(self, method, path, body=None):
        try:
            with self.open(method, path, body) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return {"status": error.code, **json.loads(error.read())}

    def state(self, stream):
        return self.ask("GET", f"/v1/videos/{stream}")

    def wait(self, stream, what, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.state(stream)
            if what(state):
                return state
            time.sleep(0.05)
        raise RuntimeError(f"{stream} does not get there: {state}")

    def wait_status(self, stream, status):
        return self.wait(stream, lambda s: s["status"] == status)

    def live(self, **wishes):
        return self.ask("POST", "/v1/streams", {"prompt": RED, "seed": 7, **wishes})["id"]

    def control(self, stream, name, **wishes):
        return self.ask("POST", f"/v1/streams/{stream}/{name}", wishes)

    def download(self, stream, path):
        with self.open("GET", f"/v1/videos/{stream}/content") as answer, open(path, "wb") as file:
            shutil.copyfileobj(answer, file)
        return path

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(timeout=60)
        expect(how == signal.SIGKILL or code == 0, f"SIGTERM ends with code {code}: {''.join(self.words)}")

    def resources(self):
        """Threads, open files and resident MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        number = lambda name: int(re.search(rf"{name}:\s*(\d+)", status)[1])
        return number("Threads"), len(os.listdir(f"/proc/{self.process.pid}/fd")), number("VmRSS") / 1024


@contextlib.contextmanager
def running(program, folder, *options, **settings):
    server = Server(program, folder, *options, **settings)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end()


def expect_redo(program, path, frames, what):
    done = subprocess.run([program, "redo", "--quiet", str(path)], capture_output=True, text=True)
    expect(done.stdout.strip() == f"identical: all {frames} frames", f"{what}: {done.stdout} {done.stderr}")


def check_videos(program, work):
    with running(program, work / "videos") as server:
        video = server.ask("POST", "/v1/videos", {"prompt": RED, "seconds": 2, "seed": 3})
        path = server.download(video["id"], work / "video.mp4")  # while it is made
        state = server.state(video["id"])
        expect(state["status"] == "completed", f"the download ends with the video: {state['status']}")
        expect_redo(program, path, state["frames"], "a video")
        plain = work / "plain.mp4"
        subprocess.run([program, "generate", "--model", "world-small", "--quiet", "--threads", "1", "--prompt", RED, "--seconds", "2",
                        "--seed", "3", "--save-every", "1", "--out", str(plain)], check=True, stdout=subprocess.DEVNULL)
        expect(plain.read_bytes()[-1000:] == path.read_bytes()[-1000:], "the served video has the bytes of sgf generate")
        timeline = [{"at": 0, "prompt": RED}, {"at": 1, "prompt": BLUE, "switch": "new-sink"}]
        video = server.ask("POST", "/v1/videos", {"timeline": timeline, "seconds": 2, "seed": 3})
        path = server.download(video["id"], work / "timeline.mp4")
        expect_redo(program, path, server.state(video["id"])["frames"], "a video with two prompts")
        for metric in ["sgf_blocks_total", "sgf_http_open_connections"]:
            with server.open("GET", "/metrics") as answer:
                expect(metric in answer.read().decode(), f"/metrics has {metric}")


def check_live(program, work):
    folder = work / "live"
    with running(program, folder) as server:
        stream = server.live()
        state = server.wait_status(stream, "waiting")
        expect(state["blocks"] == 3, f"a live stream waits after the block that is played and two: {state['blocks']}")
        at = server.control(stream, "prompt", prompt=BLUE, switch="recache")["timeline"][-1]["at"]
        expect(at == state["seconds"], f"a prompt holds from the next block, {state['seconds']}: {at}")
        server.control(stream, "position", seconds=1.0)
        server.wait(stream, lambda s: s["blocks"] >= 7)
        branch = server.control(stream, "branch", at=0.6, seed=9)
        expect(branch["branch_at"] <= 0.6, f"a branch begins at a block: {branch['branch_at']}")
        server.control(branch["id"], "position", seconds=1.5)
        server.wait(branch["id"], lambda s: s["blocks"] >= 8)
        rewound = server.control(stream, "rewind", at=1.0, prompt=RED)["id"]
        server.wait_status(stream, "stopped")  # the stream that is rewound
        server.control(rewound, "position", seconds=1.0)
        server.wait(rewound, lambda s: s["blocks"] >= 8)
        names = [stream, branch["id"], rewound]
        for name in names:
            server.control(name, "stop")
            state = server.wait_status(name, "stopped")
            expect_redo(program, server.download(name, work / f"{name}.mp4"), state["frames"], f"{name}, directed")
        running_on = server.live(seed=21, ahead=0)
        server.wait(running_on, lambda s: s["blocks"] >= 4)
    with running(program, folder) as server:  # SIGTERM has saved it
        saved = server.state(running_on)
        expect(saved["status"] == "saved" and saved["blocks"] >= 4, f"a restart offers to continue: {saved['status']}")
        server.control(running_on, "resume")
        server.wait(running_on, lambda s: s["blocks"] > saved["blocks"])
        server.end(signal.SIGKILL)
    with running(program, folder) as server:
        saved = server.state(running_on)
        server.control(running_on, "resume")
        server.control(running_on, "position", seconds=saved["seconds"])
        server.wait(running_on, lambda s: s["blocks"] > saved["blocks"] + 2)
        server.control(running_on, "stop")
        state = server.wait_status(running_on, "stopped")
        expect_redo(program, server.download(running_on, work / "killed.mp4"), state["frames"], "a stream after kill -9")
        second = subprocess.run([program, "serve", "--folder", str(folder), "--port", "0"], capture_output=True, text=True)
        expect(second.returncode == 1 and "another server" in second.stderr, f"one server per folder: {second.stderr}")


def check_beside(program, work, sources):
    models = sources / "models/world-small"
    with running(program, work / "beside", "--model", str(models / "sgf"), "--beside", str(models / "sf")) as server:
        stream = server.live(beside=True)
        pair = server.state(stream)["pair"]
        server.control(stream, "position", seconds=1.0)
        server.wait(pair, lambda s: s["blocks"] >= 6)
        server.control(stream, "stop")
        for name in [stream, pair]:
            state = server.wait_status(name, "stopped")
            expect_redo(program, server.download(name, work / f"beside-{name}.mp4"), state["frames"], f"{name} of a pair")


def check_documented(program, work, sources):
    """Every curl command of docs/serving.md, as it stands but for the port."""
    text = (sources / "docs/serving.md").read_text()
    commands = [block for block in re.findall(r"```sh\n(.*?)```", text, re.S) if "curl" in block]
    with running(program, work / "documented") as server:
        for command in "".join(commands).replace("\\\n", " ").split("\ncurl "):
            command = "curl " + command.removeprefix("curl ").replace("http://127.0.0.1:8080", server.url)
            done = subprocess.run(command, shell=True, cwd=work, capture_output=True, text=True)
            is_media = " -o " in command
            answer = {} if is_media else json.loads(done.stdout or "{}")
            expect(done.returncode == 0 and (is_media or answer) and "error" not in {k for k, v in answer.items() if v},
                   f"{command}: {done.stdout[:300]} {done.stderr}")
            time.sleep(0.5)  # as long as a person takes at least
    expect(len(commands) >= 3 and (work / "video.mp4").stat().st_size > 10000, "the page has curl commands")


def check_address(program, work):
    with running(program, work / "address", "--host", "0.0.0.0", "--name", "sgf.test") as server:
        expect(len(server.token) >= 20, "another address than loopback makes a token")
        local = f"http://127.0.0.1:{server.port}"
        asked = lambda headers: subprocess.run(
            ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *headers, local + "/v1/models"], capture_output=True, text=True).stdout
        bearer = ["-H", f"Authorization: Bearer {server.token}"]
        expect(asked([]) == "401", "no token is refused")
        expect(asked(["-H", "Authorization: Bearer wrong"]) == "401", "a wrong token is refused")
        expect(asked(bearer) == "200", "the token is accepted")
        expect(asked([*bearer, "-H", "Host: evil.example"]) == "403", "another Host is refused")
        expect(asked([*bearer, "-H", "Host: sgf.test"]) == "200", "a named Host is accepted")
        expect(asked([*bearer, "-H", "Origin: http://evil.example"]) == "403", "another Origin is refused")


def check_full_disk(program, work):
    with running(program, work / "full", limit=400_000) as server:
        endless, other = server.live(ahead=0), server.live(seed=8, seconds=1, ahead=0)
        state = server.wait_status(endless, "failed")
        expect("video.mp4" in state["error"], f"the error names the file: {state['error']}")
        state = server.wait_status(other, "completed")
        expect_redo(program, server.download(other, work / "other.mp4"), state["frames"], "a stream beside one that failed")
        expect(server.ask("GET", "/health")["status"] == "ok", "the server stays")


def check_junk(program, work, sources, clients, sessions):
    """Hostile clients beside three streams: these stay what their orders say, and nothing is left behind."""
    with running(program, work / "junk", "--streams", "3", "--memory", "0.05") as server:
        server.wait_status(server.live(seconds=1, ahead=0), "completed")
        threads, files, memory = server.resources()
        streams = [server.live(seed=seed, ahead=0) for seed in range(3)]
        script = sources / "tests/serving/junk_clients.py"
        done = subprocess.run([sys.executable, str(script), f"127.0.0.1:{server.port}", "--clients", str(clients), "--stream",
                               f"/v1/streams/{streams[0]}/media"], capture_output=True, text=True)
        expect(done.returncode == 0, f"hostile clients: {done.stdout[-1500:]} {done.stderr[-1500:]}")
        for name in streams:
            server.control(name, "stop")
            state = server.wait_status(name, "stopped")
            expect_redo(program, server.download(name, work / f"junk-{name}.mp4"), state["frames"], f"{name} beside hostile clients")
        for number in range(sessions):
            name = server.live(seed=number, seconds=0.4, ahead=0)
            server.wait_status(name, "completed")
            expect(server.ask("DELETE", f"/v1/videos/{name}").get("deleted"), f"{name} is deleted")
        fits = lambda now: now[0] <= threads + 2 and now[1] <= files + 4 and now[2] <= memory + 150
        until = time.monotonic() + 30  # closing what clients left takes a moment
        while not fits(after := server.resources()) and time.monotonic() < until:
            time.sleep(0.5)
        expect(after[0] <= threads + 2, f"threads: {threads} before, {after[0]} after")
        expect(after[1] <= files + 4, f"open files: {files} before, {after[1]} after")
        expect(after[2] <= memory + 150, f"resident MiB: {memory:.0f} before, {after[2]:.0f} after")
        print(f"{clients} hostile clients, {sessions} sessions: threads {threads} -> {after[0]}, open files {files} -> {after[1]}, "
              f"resident {memory:.0f} -> {after[2]:.0f} MiB")


def check_page(program, work, sources):
    """The page in a browser, where one is installed."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        return print("skipped: no chromium with chromedriver")
    models = sources / "models/world-small"
    with running(program, work / "page", "--model", str(models / "sgf"), "--beside", str(models / "sf")) as server:
        script = sources / "tests/serving/check_page.py"
        done = subprocess.run([sys.executable, str(script), "--url", server.url, "--sgf", program, "--model",
                               str(models / "sgf")], capture_output=True, text=True)
        print(done.stdout, end="")
        expect(done.returncode == 0, f"the page: {done.stdout[-3000:]} {done.stderr[-3000:]}")


def soak(program, work, seconds):
    """One endless stream with a viewer who keeps up, directed every ten seconds: memory over time."""
    with running(program, work / "soak", "--memory", "0.1") as server:
        stream, begun = server.live(), time.monotonic()
        while (now := time.monotonic() - begun) < seconds:
            server.control(stream, "position", seconds=server.state(stream)["seconds"])
            if int(now) % 10 == 0:
                server.control(stream, "prompt", prompt=BLUE if int(now) % 20 else RED, switch="recache")
            if int(now) % 60 == 0:
                state, (threads, files, memory) = server.state(stream), server.resources()
                print(f"{int(now) // 60:3d} min: {state['seconds']:8.1f} s of video, {memory:6.0f} MiB, {threads} threads, {files} files",
                      flush=True)
            time.sleep(1)
        server.control(stream, "stop")
        state = server.wait_status(stream, "stopped")
        expect_redo(program, server.download(stream, work / "soak.mp4"), state["frames"], "the soaked stream")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("program")
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("--clients", type=int, default=150)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--soak", type=int, default=0)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    sources = args.sources.resolve()
    version = subprocess.run([args.program, "--version"], capture_output=True, text=True).stdout
    if "Boost.Beast" not in version or "no FFmpeg" in version:
        sys.exit(print("skipped: this build has no HTTP server, or no mp4 files"))
    checks = {"videos": lambda w: check_videos(args.program, w), "live": lambda w: check_live(args.program, w),
              "beside": lambda w: check_beside(args.program, w, sources),
              "documented": lambda w: check_documented(args.program, w, sources),
              "page": lambda w: check_page(args.program, w, sources),
              "address": lambda w: check_address(args.program, w), "full_disk": lambda w: check_full_disk(args.program, w),
              "junk": lambda w: check_junk(args.program, w, sources, args.clients, args.sessions)}
    if args.soak:
        checks = {"soak": lambda w: soak(args.program, w, args.soak)}
    with tempfile.TemporaryDirectory() as work:
        for name, check in checks.items():
            if args.only in ("", name):
                begun = time.monotonic()
                check(pathlib.Path(work))
                print(f"{name}: {time.monotonic() - begun:.1f} s", flush=True)
    sys.exit(1 if FAILURES else 0)


if __name__ == "__main__":
    main()
