"""What the tests of the playground share: a server of the small model, Debian's Chromium, and checks after every test."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from playwright.sync_api import expect, sync_playwright

PROGRAM = os.environ["SOTTO"]
FOLDER = pathlib.Path(os.environ["SOTTO_WEB_FOLDER"])
AXE = pathlib.Path(os.environ["SOTTO_WEB_TOOLS"]) / "axe.min.js"
SAMPLE = "My doctor told me to avoid salt, so we went to the pizza place."
# Machines are slow under load. Nothing here measures time: a wait ends as soon as what it waits for is there.
expect.set_options(timeout=20_000)


class Server:
    """`sotto serve` of the small model, which is in the cache under the name `tiny`."""

    def __init__(self, *options, ledger="none"):
        self.options, self.ledger, self.port, self.process = options, ledger, 0, None

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--listen", f"127.0.0.1:{self.port}", "--model", "tiny", "--no-log", "--padding", "off", "--ledger", self.ledger,
             *self.options], stderr=subprocess.PIPE, text=True, env=environment())
        for line in self.process.stderr:
            if found := re.search(r"listening on http://127.0.0.1:(\d+)", line):
                self.port = int(found.group(1))
            if line.startswith("sotto: ready"):
                return self
        raise AssertionError("the server did not start")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)


def environment():
    """Of the program: a cache with the small model, and nothing of the user's own."""
    return os.environ | {"XDG_CACHE_HOME": str(FOLDER / "cache"), "XDG_STATE_HOME": str(FOLDER / "state")}


def set_up(model):
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "cache" / "sotto").mkdir(parents=True)
    shutil.copy(model, FOLDER / "cache" / "sotto" / "tiny.sotto")


class Chromium:
    """One browser for all tests; each test has a context of its own."""
    playwright = browser = server = None

    @classmethod
    def open(cls):
        if cls.browser is None:
            cls.playwright = sync_playwright().start()
            # Root may not use Chromium's sandbox. The page is our own.
            flags = ["--no-sandbox"] if os.geteuid() == 0 else []
            cls.browser = cls.playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
            cls.server = Server().start()
        return cls.browser

    @classmethod
    def close(cls):
        if cls.browser is not None:
            cls.browser.close()
            cls.playwright.stop()
            cls.server.stop()


WATCH = """window.violations = [];
addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));"""
REFUSED = r"Failed to load resource: the server responded with a status of (4\d\d|503)"
UNREACHABLE = r"Failed to load resource: net::ERR_(CONNECTION_|EMPTY_RESPONSE)"


class PageTest(unittest.TestCase):
    """A page in `self.page`. After each test: nothing was said on the console but what the test allows, no policy was
    violated, no other host was asked, nothing was stored, and the address holds no text."""
    context_options = {}
    allowed = None  # a pattern of messages on the console

    def setUp(self):
        self.messages, self.pages = [], []
        browser = Chromium.open()
        self.server = Chromium.server
        self.context = browser.new_context(**self.context_options)
        self.context.add_init_script(WATCH)
        self.page = self.new_page()

    def new_page(self):
        page = self.context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.messages.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.messages.append(f"uncaught: {error}"))
        page.on("request", lambda request: self.assertTrue(request.url.startswith(self.server.address), request.url))
        self.pages.append(page)
        return page

    def tearDown(self):
        for page in self.pages:
            self.assertEqual(page.url.removesuffix("#text").rstrip("/"), self.server.address)  # the skip link may be there
            self.assertEqual(page.evaluate("window.violations"), [])
            self.assertEqual(page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, history.length <= 3]"),
                             [0, 0, "", True])
            self.assertEqual(page.evaluate("indexedDB.databases().then((found) => found.length)"), 0)
        unexpected = [text for text in self.messages if not (self.allowed and re.search(self.allowed, text))]
        self.context.close()
        self.assertEqual(unexpected, [])

    def open(self, page=None):
        """The page when it knows what the setting promises."""
        page = page or self.page
        page.goto(self.server.address)
        expect(page.locator("#expected")).to_contain_text("%")
        return page

    def at(self, selector):
        return self.page.locator(selector)

    def draw(self, text=SAMPLE, page=None):
        page = page or self.page
        page.fill("#text", text)
        page.click("#draw")
        expect(page.locator("#status")).to_have_text("Drawn.")

    def requests(self, path):
        """The bodies of requests to a path, from now on."""
        bodies = []
        self.page.on("request", lambda request: bodies.append(request.post_data_json) if request.url.endswith(path) else None)
        return bodies
