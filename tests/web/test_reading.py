"""For everybody: keyboard, screen readers, phones, dark mode, long texts, other scripts."""
import random
import re

from browser import AXE, REFUSED, SAMPLE, PageTest, expect

FULL_STATE = ("#law .bars", "#attacker table", "#more[open]")
TEXTS = [
    SAMPLE,
    "Don\u2019t stop; 3.14 o'clock, e.g. the U.S. (100%) costs $5 or 5\u20ac\u2026",
    "mail me@example.org or visit www.example.org/a-b_c?d=1&e#f",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd, the \u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645!",
    "\U0001f600 hi\U0001f44b\U0001f3fd \U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 \u2764\ufe0f ok",
    "a.b .a a. a.. a.b.c. e.g. 1.a a.1 x\uff0ey \u65e5.\u672c cafe\u0301.b (u.s.) end.",
    "tabs\tand\r\nlines\n\n  and\u00a0spaces\u200b, soft\u00adhyphen, a.b.3 4,5 x+y=z a++ <b>",
    "na\u00efve cafe\u0301 stra\u00dfe \u1e9e \u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2 \u0130stanbul \U0001d400\U0001d401",
]


class Access(PageTest):
    """axe-core looks at the page in several states."""
    context_options = {"bypass_csp": True}  # for axe itself; every other test runs under the policy
    allowed = REFUSED

    def fill(self):
        self.open()
        self.page.click("#more summary")
        self.draw()
        self.at("#after .word").nth(1).click()
        self.page.click("#attack")
        for selector in FULL_STATE:
            expect(self.at(selector)).to_be_visible()

    def check(self):
        self.page.evaluate(AXE.read_text(encoding="utf-8") + "; undefined")
        self.page.wait_for_timeout(400)  # colours fade
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        self.assertEqual([(one["id"], one["impact"], [node["html"] for node in one["nodes"]][:3]) for one in found], [])

    def test_first_view(self):
        self.open()
        self.check()

    def test_full_view(self):
        self.fill()
        self.check()

    def test_trouble(self):
        self.open()
        self.page.fill("#epsilon", "30")
        self.page.click("#draw")
        expect(self.at("#trouble")).to_be_visible()
        self.page.evaluate("document.getElementById('key-section').hidden = false")
        self.check()


class DarkAccess(Access):
    context_options = {"bypass_csp": True, "color_scheme": "dark"}

    def test_colours_are_dark(self):
        self.open()
        paper = self.page.evaluate("getComputedStyle(document.body).backgroundColor")
        self.assertLess(max(int(part) for part in re.findall(r"\d+", paper)[:3]), 60)


class PhoneAccess(Access):
    context_options = {"bypass_csp": True, "viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}

    def test_nothing_is_wider_than_the_screen(self):
        self.fill()
        self.page.select_option("#mechanism", "vickrey")
        self.page.fill("#text", "pneumonoultramicroscopicsilicovolcanoconiosis" * 3)
        width = self.page.evaluate("document.documentElement.scrollWidth")
        self.assertLessEqual(width, 360)

    def test_words_can_be_tapped(self):
        self.open()
        self.draw()
        self.at("#after .word").nth(1).tap()
        expect(self.at("#law h3")).to_have_text("doctor")


class Keyboard(PageTest):
    """No mouse at all."""

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self):
        return self.page.evaluate("document.activeElement.id || document.activeElement.getAttribute('class')")

    def tab_to(self, wanted):
        for _ in range(60):
            self.press("Tab")
            if self.focused() == wanted:
                return
        self.fail(f"Tab does not reach {wanted}")

    def test_everything_without_a_mouse(self):
        self.open()
        self.press("Tab")
        self.assertEqual(self.focused(), "skip")
        self.press("Enter")
        self.assertEqual(self.page.evaluate("document.activeElement.id"), "text")
        self.press("Control+a")
        self.page.keyboard.type("the doctor was late")
        self.tab_to("draw")
        self.press("Enter")
        expect(self.at("#status")).to_have_text("Drawn.")
        self.press("Shift+Tab")  # the private text is one stop, between the editor and the button
        self.assertRegex(self.focused(), "^word")
        self.press("ArrowRight")
        expect(self.at("#after .word").nth(1)).to_be_focused()
        self.press("End", "ArrowRight")
        expect(self.at("#after .word").nth(3)).to_be_focused()
        self.press("Home", "ArrowRight", "Enter")
        expect(self.at("#law h3")).to_have_text("doctor")
        self.tab_to("word")
        self.tab_to("link")  # an output of the law
        self.tab_to("point own")
        self.press("ArrowRight", "Enter")
        expect(self.at("#law h3")).not_to_have_text("doctor")
        self.page.evaluate("document.activeElement.blur()")
        self.tab_to("attack")
        self.press("Enter")
        expect(self.at("#attacker table")).to_be_visible()

    def test_setting_without_a_mouse(self):
        self.open()
        self.tab_to("mechanism")
        self.press("ArrowDown")
        expect(self.at("#mechanism")).to_have_value("laplace")
        self.press("ArrowUp")
        self.tab_to("calibration")
        self.tab_to("epsilon")
        self.tab_to("slider")
        before = float(self.at("#epsilon").input_value())
        self.press("ArrowRight")
        self.assertGreater(float(self.at("#epsilon").input_value()), before)
        self.press("Tab", "Enter")  # the summary
        expect(self.at("#more")).to_have_attribute("open", "")
        self.tab_to("p-gamma")
        for wanted in ("document", "subject", "weak", "text", "draw", "live"):
            self.tab_to(wanted)

    def test_focus_can_be_seen(self):
        self.open()
        for wanted in ("mechanism", "epsilon", "slider", "draw", "word"):
            self.tab_to(wanted)
            self.assertNotEqual(self.page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none", wanted)

    def test_every_control_has_a_name(self):
        self.open()
        self.draw()
        self.at("#after .word").first.click()
        expect(self.at("#law .bars")).to_be_visible()
        for element in self.page.locator("button, input, select, textarea, [role=button]").all():
            if element.is_visible():
                self.assertTrue(element.evaluate("(e) => (e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent).trim()"),
                                element.evaluate("(e) => e.outerHTML"))


class Scripts(PageTest):
    def test_words_are_the_engines_words(self):
        """The page splits a text as the engine does: `redact` writes one token for each word."""
        self.open()
        for text in TEXTS:
            answer = self.page.request.post(self.server.address + "/v1/privatize",
                                            data={"text": text, "mechanism": "redact", "parameters": {"token": "Q"}}).json()
            own = self.page.evaluate("""async (text) => {
                const {wordsOf} = await import("/page/words.js");
                let out = "", at = 0, last = -1;
                for (const {begin, end} of wordsOf(text)) {
                    out += text.slice(at, begin) + (begin === last ? " Q" : "Q");
                    at = last = end;
                }
                return out + text.slice(at);
            }""", text)
            self.assertEqual(own, answer["text"])

    def test_every_script_is_matched_and_shown(self):
        self.open()
        for text in TEXTS:
            self.draw(text)
            words = self.at("#after .word").count()
            self.assertGreater(words, 4)
            expect(self.at("#after")).not_to_contain_text("could not be matched")
            # The editor's marks lie under its text: the same text, the same lines.
            marks = self.at("#backdrop").text_content()
            shown = self.at("#text").input_value()
            self.assertEqual(marks, shown + "\n")

    def test_right_to_left_text(self):
        self.open()
        self.draw("\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd, \u05de\u05d4 \u05e9\u05dc\u05d5\u05de\u05da?")
        box = self.at("#text").evaluate("(e) => getComputedStyle(e).direction")
        self.assertEqual(box, "rtl")
        expect(self.at("#after .word")).to_have_count(4)
        self.at("#after .word").first.click()
        expect(self.page.get_by_text("the output cannot tell unknown words apart")).to_be_visible()
        self.allowed = REFUSED

    def test_ten_thousand_words(self):
        self.open()
        random.seed(22)
        known = SAMPLE.lower().replace(",", "").replace(".", "").split()
        text = " ".join(random.choice(known) for _ in range(10_000))
        self.draw(text)
        expect(self.at("#after .word")).to_have_count(10_000)
        self.at("#after .word").nth(9_000).click()
        expect(self.at("#law .bars")).to_be_visible()
        self.page.click("#attack")
        expect(self.at("#attacker tbody tr")).to_have_count(30)
        self.page.get_by_role("button", name="Show all 10,000 words").click()
        expect(self.at("#attacker tbody tr")).to_have_count(10_000)
        # The marks follow the editor's scrolling.
        self.at("#text").evaluate("(e) => { e.scrollTop = 5000; }")
        self.page.wait_for_timeout(100)
        self.assertEqual(self.at("#backdrop").evaluate("(e) => e.scrollTop"), self.at("#text").evaluate("(e) => e.scrollTop"))
