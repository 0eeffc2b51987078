"""Question 1: what happens to my text? The texts, the setting, what is spent."""
import re
import subprocess
import unittest

from browser import FOLDER, PROGRAM, REFUSED, SAMPLE, PageTest, Server, environment, expect


class Drawing(PageTest):
    def test_opening_the_page_releases_nothing(self):
        sent = self.requests("/v1/privatize")
        self.open()
        self.assertTrue(sent and all(body["text"] == "" for body in sent), sent)
        expect(self.at("#spent")).to_contain_text("nothing was spent")
        expect(self.at("#model")).to_contain_text("Model tiny: ")

    def test_draw_marks_exactly_the_changed_words(self):
        self.open()
        self.page.fill("#epsilon", "2.5")
        self.draw()
        before = re.findall(r"\w+", SAMPLE.lower())
        words = self.at("#after .word")
        expect(words).to_have_count(len(before))
        outputs = words.all_text_contents()
        changed = [w.evaluate("(e) => e.classList.contains('changed')") for w in words.all()]
        self.assertEqual(changed, [a != b for a, b in zip(before, outputs)])
        # White space and punctuation stay, so that the text around the words is the same.
        shown = self.at("#after").text_content()
        self.assertEqual(re.sub(r"\w+", "", shown), re.sub(r"\w+", "", SAMPLE))
        # Not by colour alone, and with words for people who do not see it.
        for word, old, new, is_changed in zip(words.all(), before, outputs, changed):
            line = word.evaluate("(e) => getComputedStyle(e).textDecorationLine")
            self.assertEqual(line, "underline" if is_changed else "none")
            label = word.get_attribute("aria-label").lower()
            self.assertEqual(label, f"{new}, was {old}" if is_changed else f"{new}, unchanged")
        # The same words are underlined behind the editor.
        marked = self.at("#backdrop u").all_text_contents()
        self.assertEqual([word.lower() for word in marked], [w for w, is_changed in zip(before, changed) if is_changed])

    def test_draw_again_draws_again(self):
        self.open()
        self.page.fill("#epsilon", "1")
        self.draw()
        sent = self.requests("/v1/privatize")
        seen = {self.at("#after").text_content()}
        for _ in range(3):  # 15 words of about 800 each: the same text twice has a chance below 1e-6
            with self.page.expect_response("**/v1/privatize"):
                self.page.get_by_role("button", name="Draw again").click()
            expect(self.at("#draw")).not_to_have_attribute("aria-busy", "true")
            seen.add(self.at("#after").text_content())
        self.assertEqual(len(seen), 4)
        self.assertEqual([body["text"] for body in sent], [SAMPLE] * 3)

    def test_typing_draws_once_after_a_pause(self):
        self.open()
        self.draw()
        sent = self.requests("/v1/privatize")
        with self.page.expect_response("**/v1/privatize"):
            self.at("#text").press_sequentially(" It was good", delay=20)
        expect(self.at("#after .word")).to_have_count(14 + 3)
        self.assertEqual([body["text"] for body in sent], [SAMPLE + " It was good"])

    def test_without_live_nothing_is_drawn_by_itself(self):
        self.open()
        self.draw()
        self.page.uncheck("#live")
        sent = self.requests("/v1/privatize")
        self.page.fill("#text", "another text")
        expect(self.at("#after")).to_have_class(re.compile("old"))
        with self.page.expect_response("**/v1/privatize"):  # the forecast
            self.at("#slider").press("ArrowRight")
        self.assertEqual([body["text"] for body in sent], [""])

    def test_text_without_words(self):
        self.open()
        self.draw(" ... !? ")
        expect(self.at("#after")).to_have_text(" ... !? ")
        self.draw("")
        expect(self.at("#after")).to_contain_text("There is no word in the text")


class Choosing(PageTest):
    def test_slider_and_number_are_one_epsilon(self):
        self.open()
        shares = []
        for key in ("Home", "End"):
            sent = self.requests("/v1/privatize")
            with self.page.expect_response("**/v1/privatize") as answer:
                self.at("#slider").press(key)
            epsilon = float(self.at("#epsilon").input_value())
            self.assertEqual(self.at("#slider").get_attribute("aria-valuetext"), self.at("#epsilon").input_value())
            self.assertEqual(sent[-1]["epsilon"], epsilon)
            share = answer.value.json()["expected_unchanged"]["share"]
            expect(self.at("#expected")).to_have_text(re.compile(rf"^{100 * share:.1f}%|above 99.9%|^0|e-"))
            shares.append(share)
        self.assertLess(shares[0], 0.1)
        self.assertGreater(shares[1], 0.9)
        self.page.fill("#epsilon", "4.3")  # not a stop of the slider: the nearest one is shown
        self.assertEqual(self.at("#slider").get_attribute("aria-valuetext"), "4.3")
        expect(self.at("#line-program")).to_contain_text("--epsilon 4.3")

    def test_every_mechanism_that_is_offered_can_be_drawn_or_says_why_not(self):
        self.allowed = REFUSED
        self.open()
        options = self.at("#mechanism option").all()
        offered = [option.get_attribute("value") for option in options if option.is_enabled()]
        self.assertIn("tem", offered)
        self.assertIn("redact", offered)
        self.assertFalse({"identity", "truncated-gumbel", "privemb"} & set(offered))
        drawn = set()
        for name in offered:
            self.page.select_option("#mechanism", name)
            self.page.fill("#text", f"the doctor likes {name[:2]}")
            with self.page.expect_response("**/v1/privatize") as answer:
                self.page.click("#draw")
            if answer.value.ok:
                drawn.add(name)
                expect(self.at("#after .word")).to_have_count(4)
            else:  # hyperbolic needs other vectors, gumbel-topk a larger epsilon
                expect(self.at("#trouble")).to_contain_text("A field of the request is not accepted.")
        self.assertTrue({"tem", "laplace", "mahalanobis", "vickrey", "uniform", "redact"} <= drawn, drawn)

    def test_mechanism_without_epsilon_has_no_slider(self):
        self.open()
        self.page.select_option("#mechanism", "redact")
        expect(self.at("#slider")).to_be_hidden()
        self.draw("to be, or not")
        self.assertEqual(self.at("#after").text_content(), "[word] [word], [word] [word]")
        self.page.select_option("#mechanism", "tem")
        expect(self.at("#slider")).to_be_visible()

    def test_calibration_is_drawn_on_demand(self):
        self.open()
        self.draw()
        sent = self.requests("/v1/privatize")
        self.page.select_option("#calibration", "exact")
        expect(self.at("#status")).to_contain_text("Press Draw")
        self.at("#slider").press("ArrowLeft")
        self.assertEqual(sent, [])
        self.page.click("#draw")
        expect(self.at("#status")).to_have_text("Drawn.")
        self.assertEqual(sent[0]["parameters"], {"calibration": "exact"})
        expect(self.at("#promise")).to_contain_text(re.compile(r"Certified epsilon\d"))

    def test_parameters_come_from_the_registry(self):
        self.allowed = REFUSED
        self.open()
        self.page.fill("#epsilon", "0.5")
        self.page.click("#more summary")
        self.page.fill("#p-gamma", "inf")
        self.page.select_option("#p-metric", "manhattan")
        sent = self.requests("/v1/privatize")
        self.draw()
        self.assertEqual(sent[-1]["parameters"], {"gamma": "inf", "metric": "manhattan"})
        self.page.fill("#p-gamma", "zebrafish")
        self.page.click("#draw")
        expect(self.at("#trouble")).to_contain_text("The field parameters.gamma is not allowed; allowed: above 0, or inf.")

    def test_weak_setting_is_refused_until_it_is_allowed(self):
        self.allowed = REFUSED
        self.open()
        self.page.fill("#epsilon", "30")
        self.page.click("#draw")
        expect(self.at("#trouble")).to_contain_text("more than 90% of the words")
        expect(self.at("#expected")).to_contain_text("9")  # the share is told all the same
        expect(self.at("#after .word")).to_have_count(0)
        self.page.get_by_role("button", name="Draw it anyway").click()
        expect(self.at("#status")).to_have_text("Drawn.")
        expect(self.at("#trouble")).to_be_hidden()
        expect(self.at("#line-program")).to_contain_text("--allow-weak")

    def test_epsilon_that_is_no_number(self):
        self.allowed = REFUSED
        self.open()
        for text in ("", "much", "-1", "0", "1e400"):
            self.page.fill("#epsilon", text)
            self.page.click("#draw")
            expect(self.at("#trouble")).to_contain_text(re.compile("epsilon", re.I))
            expect(self.at("#expected")).to_have_text("\u2013")
        self.page.fill("#epsilon", "2")
        expect(self.at("#expected")).to_contain_text("%")
        expect(self.at("#trouble")).to_be_hidden()


class Spending(PageTest):
    allowed = REFUSED

    def setUp(self):
        super().setUp()
        self.counted = Server(ledger=str(FOLDER / f"{self._testMethodName}.db"), *self.options).start()
        self.addCleanup(self.counted.stop)
        self.server = self.counted

    options = ()

    def test_page_says_what_was_debited_to_whom(self):
        self.open()
        self.page.fill("#epsilon", "2")
        self.draw("one two three")
        expect(self.at("#spent")).to_contain_text("This draw debited 6 epsilon to the account of requests without a name")
        self.page.click("#more summary")
        self.page.fill("#document", "zebrafish-document")
        sent = self.requests("/v1/privatize")
        self.page.fill("#subject", "zebrafish-subject")
        self.page.fill("#text", "one two three")
        expect(self.at("#status")).to_contain_text("Press Draw")  # nobody's account is debited unasked
        self.page.wait_for_timeout(1_000)
        self.assertEqual([body["text"] for body in sent if body["text"]], [])
        self.draw("one two three")
        expect(self.at("#spent")).to_contain_text("debited 2 epsilon to the document")
        expect(self.at("#spent")).to_contain_text("and 6 epsilon to the subject")
        self.page.click("#draw")  # a document is released once
        expect(self.at("#trouble")).to_contain_text("The budget does not allow this release.")
        expect(self.at("#after")).to_have_class(re.compile("old"))
        ledger = subprocess.run([PROGRAM, "ledger", "verify", self.counted.ledger], capture_output=True, text=True, check=False,
                                env=environment())
        self.assertEqual(ledger.returncode, 0, ledger.stderr)


class Requiring(Spending):
    options = ("--require", "document")

    def test_page_says_what_was_debited_to_whom(self):
        self.page.goto(self.server.address)
        expect(self.at("#trouble")).to_contain_text("document")
        self.page.click("#more summary")
        self.page.fill("#document", "d1")
        self.draw("one two three")
        expect(self.at("#spent")).to_contain_text("to the document")


if __name__ == "__main__":
    unittest.main()
