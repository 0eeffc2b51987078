#!/usr/bin/env python3
"""Pictures of the playground in five states, docs/images/playground-*.png. Usage: screenshots.py PROGRAM FOLDER

`make screenshots` runs it with Playwright and Debian's Chromium, on the default model. Draws are random, so the words differ
from run to run; look at the pictures before you commit them.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from playwright.sync_api import expect, sync_playwright

expect.set_options(timeout=120_000)
TEXT = "My doctor told me to avoid salt, so of course we went straight to the pizza place near the hospital."
EPSILON = "3"
WIDE = {"width": 1080, "height": 800}
PHONE = {"width": 360, "height": 740}


def start(program, port):
    """The server and its address."""
    server = subprocess.Popen([program, "serve", "--listen", f"127.0.0.1:{port}", "--ledger", "none", "--no-log"],
                              stderr=subprocess.PIPE, text=True)
    address = ""
    for line in server.stderr:
        if found := re.search(r"listening on (\S+)", line):
            address = found.group(1)
        if line.startswith("sotto: ready"):
            return server, address
    sys.exit("screenshots: the server did not start. Is the default model here (`make model`), and is the port free (PORT)?")


def opened(browser, address, **options):
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(120_000)
    page.goto(address)
    expect(page.locator("#expected")).to_contain_text("%")
    page.fill("#epsilon", EPSILON)
    page.fill("#text", TEXT)
    page.click("#draw")
    expect(page.locator("#status")).to_have_text("Drawn.")
    page.wait_for_timeout(600)  # transitions end
    page.evaluate("document.activeElement.blur()")
    return page


def explain(page, word):
    page.fill("#word", word)
    page.press("#word", "Enter")
    expect(page.locator("#law h3")).to_have_text(word)
    page.wait_for_timeout(600)
    page.evaluate("document.activeElement.blur()")


def part(page, heading):
    """The place of a section on the page, with a margin."""
    box = page.locator(f"section[aria-labelledby={heading}]").bounding_box()
    top = box["y"] + page.evaluate("scrollY")
    return {"x": 0, "y": top + 4, "width": WIDE["width"], "height": box["height"] + 20}


def take(browser, address, folder):
    def save(thing, name, **options):
        thing.screenshot(path=folder / f"playground-{name}.png", **options)
        print(folder / f"playground-{name}.png", (folder / f"playground-{name}.png").stat().st_size)

    wide = opened(browser, address, viewport=WIDE)
    save(wide, "text")
    explain(wide, "doctor")
    save(wide, "word", full_page=True, clip=part(wide, "q2"))
    wide.click("#attack")
    expect(wide.locator("#attacker tbody tr")).to_have_count(20)
    save(wide, "attacker", full_page=True, clip=part(wide, "q3"))
    save(wide, "for-real", full_page=True, clip=part(wide, "q4"))
    phone = opened(browser, address, viewport=PHONE, device_scale_factor=2, color_scheme="dark", is_mobile=True)
    phone.evaluate("document.getElementById('epsilon-field').scrollIntoView()")
    save(phone, "phone")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    server, address = start(program, os.environ.get("PORT", "7411"))
    try:
        with sync_playwright() as playwright:
            flags = ["--no-sandbox"] if os.geteuid() == 0 else []  # root may not use Chromium's sandbox
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
            take(browser, address, folder)
            browser.close()
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


if __name__ == "__main__":
    main()
