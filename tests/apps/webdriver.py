"""A headless Chromium, driven by the WebDriver protocol (https://www.w3.org/TR/webdriver2) with nothing but Python."""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

KEYS = {"left": "\ue012", "up": "\ue013", "right": "\ue014", "down": "\ue015", "enter": "\ue007", "tab": "\ue004"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name for a reference to one
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy the environment names


def find_programs():
    """Paths of the browser and its driver, or what is missing."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    missing = [name for name, path in (("chromium", browser), ("chromium-driver", driver)) if path is None]
    return browser, driver, missing


class Browser:
    def __init__(self, folder, more=()):
        browser, driver, _ = find_programs()
        self.downloads = pathlib.Path(folder) / "downloads"
        self.downloads.mkdir(exist_ok=True)
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self.driver = subprocess.Popen([driver, "--port=0"], **streams)
        self.root = f"http://127.0.0.1:{self.port()}"
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile", *more]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        preferences = {"download.default_directory": str(self.downloads), "download.prompt_for_download": False}
        options = {"binary": browser, "args": arguments, "prefs": preferences}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = f"/session/{session['sessionId']}"

    def port(self):
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise RuntimeError("chromedriver ended without a word of its port")

    def call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with LOCAL.open(request, timeout=180) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.read().decode()[:400]}") from None

    def open(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def reload(self):
        self.call("POST", self.session + "/refresh")

    def resize(self, width, height):
        command = {"cmd": "Emulation.setDeviceMetricsOverride"}
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("POST", self.session + "/goog/cdp/execute", {**command, "params": metrics})

    def press(self, key):
        key = KEYS.get(key, key)
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def type(self, text):
        for letter in text:
            self.press(letter)

    def click(self, selector):
        found = self.call("POST", self.session + "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"{self.session}/element/{found[ELEMENT]}/click")

    def run(self, script):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": []})

    def wait_for(self, script, seconds=90):
        """What the script returns, once that is true; what it returned last otherwise."""
        until = time.monotonic() + seconds
        while not (came := self.run(script)) and time.monotonic() < until:
            time.sleep(0.05)
        return came

    def wait_for_download(self, seconds=90):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            whole = [path for path in self.downloads.iterdir() if path.suffix == ".json"]
            if whole:
                return whole[0]
            time.sleep(0.05)
        return None

    def errors(self):
        entries = self.call("POST", self.session + "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
