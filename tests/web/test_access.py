"""For everybody: keyboard, screen readers, phones, dark mode."""
import re

from browser import AXE, REFUSED, PageTest, expect

FULL_STATE = ("#law .bars", "#attacker table", "#more[open]")


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
