"""The page of `sgf compare` in a real browser: ten pairs by keyboard alone, left and taken up, exported and scored.

usage: check_compare.py SGF FOLDER [SHOTS], where FOLDER holds page.html, apart.html and the videos of check_compare.sh
"""

import json
import os
import pathlib
import subprocess
import sys

from webdriver import Browser, find_programs

SAID = ["left", "right", "down", "left", "left", "right", "down", "right", "left", "right"]
WORDS = {"left": "left", "right": "right", "down": "same"}
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAIL: sgf compare: {what}")


def score(sgf, *arguments):
    done = subprocess.run([sgf, "compare", "score", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def where(browser):
    return browser.run("return document.getElementById('where').textContent")


def plays_in_step(browser):
    """Both videos run, and come to the same time within a frame or two."""
    script = """const v = [...document.querySelectorAll('video')];
      return v.every(x => !x.paused && x.currentTime > .2) && Math.abs(v[0].currentTime - v[1].currentTime) < .15"""
    return browser.wait_for(script)


def check_playing(browser):
    expect(plays_in_step(browser), "the two videos do not play in step")
    browser.press(" ")
    script = "return [...document.querySelectorAll('video')].every(v => v.paused)"
    expect(browser.wait_for(script), "Space does not pause")
    browser.press("r")
    script = "return [...document.querySelectorAll('video')].every(v => !v.paused && v.currentTime < 1)"
    expect(browser.wait_for(script), "R does not begin anew")
    browser.run("window.looped = 0; document.getElementById('left').addEventListener('ended', () => ++window.looped)")
    expect(browser.wait_for("return window.looped > 0"), "the videos do not end")
    expect(plays_in_step(browser), "the videos do not begin again, in step")


def start(browser, page, name):
    browser.open(page.as_uri())
    browser.type(name)
    browser.press("enter")


def answer_ten(browser, page, shots):
    """Seven pairs, a step back and another mind, a reload, and the rest."""
    browser.resize(1280, 720)
    browser.open(page.as_uri())
    if shots:
        browser.screenshot(f"{shots}/intro.png")
    start(browser, page, "Ann")
    expect(where(browser) == "Pair 1 of 10", f"begins at {where(browser)}")
    check_playing(browser)
    if shots:
        browser.screenshot(f"{shots}/pair.png")
        browser.resize(390, 844)
        browser.wait_for("return document.getElementById('left').readyState >= 3")
        browser.screenshot(f"{shots}/pair-narrow.png")
        browser.resize(1280, 720)
    for key in SAID[:6]:
        browser.press(key)
    browser.press("left")  # to be changed
    browser.press("up")
    pressed = browser.run("return document.querySelector('[aria-pressed=true]').dataset.answer")
    expect(where(browser) == "Pair 7 of 10" and pressed == "left", f"back is at {where(browser)} with {pressed}")
    browser.press(SAID[6])
    browser.reload()
    expect(where(browser) == "Pair 8 of 10", f"after a reload it is at {where(browser)}")
    expect(plays_in_step(browser), "after a reload the videos do not play")
    browser.press(SAID[7])
    browser.click(f"[data-answer={WORDS[SAID[8]]}]")  # one by click
    browser.press(SAID[9])
    title = browser.run("return document.getElementById('end-title').textContent")
    expect(title.startswith("All 10 pairs answered"), f"the end says: {title}")
    if shots:
        browser.screenshot(f"{shots}/end.png")
    browser.press("e")
    return browser.wait_for_download()


def check_score(sgf, folder, answers):
    pairs = json.loads((folder / "page.key.json").read_text())["pairs"]
    said = json.loads(answers.read_text())
    expect([pair["answer"] for pair in said["pairs"]] == [WORDS[key] for key in SAID], "other answers than were given")
    good = sum(WORDS[k] != "same" and (WORDS[k] == "left") == p["a_is_left"] for k, p in zip(SAID, pairs))
    code, text = score(sgf, answers, "--key", folder / "page.key.json", "--json")
    expect(code == 0, f"score: exit {code}, {text}")
    scored = json.loads(text)
    expect((scored["good"], scored["same"], scored["bad"]) == (good, 2, 8 - good), f"counted {text}")
    expect(scored["a"] == "Method-Ours" and scored["open"] == 0, f"scored {text}")
    code, text = score(sgf, answers, "--videos", folder / "method-ours", folder / "method-theirs", "--json")
    expect(code == 0 and json.loads(text)["good"] == good, f"by the videos: exit {code}, {text}")


def check_other_videos(sgf, folder, answers):
    code, text = score(sgf, answers, "--videos", folder / "method-ours", folder / "short")
    expect(code == 1 and "do not belong to these videos" in text, f"other videos: exit {code}, {text}")
    turned = (folder / "method-theirs", folder / "method-ours")
    code, text = score(sgf, answers, "--key", folder / "page.key.json", "--videos", *turned)
    expect(code == 1 and "takes the folder of A first" in text, f"folders the wrong way round: exit {code}, {text}")
    code, text = score(sgf, answers, "--key", folder / "short.key.json")
    expect(code == 1 and "but the key to" in text, f"the key of another study: exit {code}, {text}")
    code, text = score(sgf, answers)
    expect(code == 1 and "name the key with --key" in text, f"no key: exit {code}, {text}")


def check_raters(sgf, folder, answers):
    """Files as other people might send them."""
    key = ("--key", folder / "page.key.json")
    said = json.loads(answers.read_text())
    said["rater"] = "Bob"
    for pair in said["pairs"][:3]:
        pair["answer"] = None
    second = folder / "bob.json"
    second.write_text(json.dumps(said))
    code, text = score(sgf, answers, second, *key)
    expect(code == 0 and "100.0 %" in text and "3 answers are missing" in text, f"two raters: exit {code}, {text}")
    twice = folder / "again.json"
    twice.write_text(json.dumps({**said, "rater": " bob"}))
    code, text = score(sgf, second, twice, *key)
    expect(code == 1 and "a rater counts once" in text, f"a rater twice: exit {code}, {text}")
    broken = folder / "broken.json"
    for change, words in [
        (lambda s: s["pairs"][4].update(answer="perhaps"), "pair 5"),
        (lambda s: s["pairs"].pop(), "the file was changed"),
        (lambda s: s.pop("rater"), 'lacks "rater"'),
        (lambda s: s.update(sgf_compare=2), "version 2"),
    ]:
        edited = json.loads(json.dumps(said))
        change(edited)
        broken.write_text(json.dumps(edited))
        code, text = score(sgf, broken, *key)
        expect(code == 1 and words in text, f"{words}: exit {code}, {text}")
    broken.write_text(answers.read_text()[:200])
    code, text = score(sgf, broken, *key)
    expect(code == 1 and "broken.json" in text, f"cut off: exit {code}, {text}")


def check_apart(browser, folder):
    """Videos beside the page play too."""
    start(browser, folder / "apart.html", "Cyd")
    expect(plays_in_step(browser), "videos beside the page do not play")
    expect(not browser.errors(), "the page complains of something")


def started(folder):
    """A browser; None, with a word, where this machine cannot start one: that says nothing about the page."""
    try:
        return Browser(folder)
    except (RuntimeError, OSError) as error:
        print(f"sgf compare: the page was not tried in a browser, it does not start here: {error}")
        return None


def main(sgf, folder, shots=""):
    sgf, folder = os.path.abspath(sgf), pathlib.Path(folder)
    _, _, missing = find_programs()
    if missing:
        print(f"sgf compare: the page was not tried in a browser, install {' and '.join(missing)}")
        return
    browser = started(folder)
    if browser is None:
        return
    try:
        answers = answer_ten(browser, folder / "page.html", shots)
        expect(answers is not None, "nothing was downloaded")
        expect(not browser.errors(), "the page complains of something")
        if answers:
            check_score(sgf, folder, answers)
            check_other_videos(sgf, folder, answers)
            check_raters(sgf, folder, answers)
        check_apart(browser, folder)
    finally:
        browser.close()


main(*sys.argv[1:])
sys.exit(1 if failures else 0)
