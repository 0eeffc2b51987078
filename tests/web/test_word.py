"""Questions 2 and 3: what may a word become, and what would an attacker guess?"""
import re

from browser import REFUSED, SAMPLE, PageTest, expect


class Law(PageTest):
    def test_click_in_either_text_explains_the_original_word(self):
        self.open()
        self.draw()
        words = re.findall(r"\w+", SAMPLE)
        with self.page.expect_response("**/v1/explain") as answer:
            self.at("#after .word").nth(1).click()
        self.assertEqual(answer.value.request.post_data_json["word"], "doctor")
        expect(self.at("#law h3")).to_have_text("doctor")
        expect(self.at("#after [aria-current]")).to_have_count(words.count("doctor"))
        box = self.at("#text").bounding_box()
        with self.page.expect_response("**/v1/explain") as answer:
            self.page.mouse.click(box["x"] + 24, box["y"] + 26)  # the first word
        self.assertEqual(answer.value.request.post_data_json["word"], "My")
        expect(self.at("#law h3")).to_have_text("My")

    def test_bars_are_the_answer(self):
        self.open()
        with self.page.expect_response("**/v1/explain") as answer:
            self.page.fill("#word", "doctor")
            self.page.get_by_role("button", name="Explain").click()
        answer = answer.value.json()
        rows = self.at("#law .bars tbody tr")
        expect(rows).to_have_count(12)
        for row, output in list(zip(rows.all(), answer["outputs"]))[:5]:
            self.assertIn(output["word"], row.text_content())
            self.assertIn(f"{100 * output['p']:.3g}"[:3], row.text_content())
        widths = [bar.bounding_box()["width"] for bar in self.at("#law .bar").all()]
        self.assertEqual(widths, sorted(widths, reverse=True))
        expected = [output["p"] / answer["outputs"][0]["p"] for output in answer["outputs"][:12]]
        for width, share in zip(widths, expected):
            self.assertAlmostEqual(width / widths[0], share, delta=0.02)
        self.assertIn("Exact law", self.at("#law caption").text_content())
        # The bound in plain words is the service's own sentence.
        self.assertIn(answer["meaning"], self.at("#law .odds").text_content())
        self.assertRegex(answer["meaning"], r"by a factor of at most [\d.^]+")

    def test_map_has_the_neighbours_and_leads_on(self):
        self.open()
        with self.page.expect_response("**/v1/explain") as answer:
            self.page.fill("#word", "doctor")
            self.at("#word").press("Enter")
        points = answer.value.json()["map"]
        marks = self.at("#law svg .point")
        expect(marks).to_have_count(len(points))
        self.assertEqual({mark.get_attribute("data-word") for mark in marks.all()}, {point["word"] for point in points})
        expect(self.at("#law svg .own")).to_have_attribute("data-word", "doctor")
        other = self.at("#law svg .point:not(.own)").first
        word = other.get_attribute("data-word")
        other.locator("circle").nth(1).click(force=True)
        expect(self.at("#law h3")).to_have_text(word)
        output = self.at("#law .bars button").nth(2)
        word = output.text_content()
        output.click()
        expect(self.at("#law h3")).to_have_text(word)
        expect(self.at("#word")).to_have_value(word)

    def test_law_follows_the_setting(self):
        self.open()
        self.page.fill("#word", "doctor")
        self.at("#word").press("Enter")
        expect(self.at("#law .bars")).to_be_visible()
        shares = []
        for epsilon in ("1", "8"):
            with self.page.expect_response("**/v1/explain") as answer:
                self.page.fill("#epsilon", epsilon)
            shares.append(answer.value.json()["outputs"][0]["p"])
            expect(self.at("#law .bars")).to_contain_text(f"{100 * shares[-1]:.3g}"[:3])
        self.assertLess(shares[0], shares[1])

    def test_law_without_a_closed_form_is_estimated(self):
        self.open()
        self.page.select_option("#mechanism", "laplace")
        self.page.fill("#epsilon", "10")
        self.page.fill("#word", "doctor")
        self.at("#word").press("Enter")
        expect(self.at("#law caption")).to_contain_text(re.compile(r"Estimated from [\d,]+ draws, with 95% intervals"))
        expect(self.at("#law .range").first).to_contain_text(" to ")

    def test_calibrated_law_stands_beside_the_papers(self):
        self.open()
        self.page.select_option("#calibration", "exact")
        self.page.fill("#word", "doctor")
        self.at("#word").press("Enter")
        expect(self.at("#law .bars thead")).to_contain_text("with paper")

    def test_word_that_the_model_does_not_have(self):
        self.allowed = REFUSED
        self.open()
        self.draw("the zzyzx doctor")
        expect(self.at("#after .word")).to_have_count(3)
        self.at("#after .word").nth(1).click()
        expect(self.page.get_by_text("the output cannot tell unknown words apart")).to_be_visible()
        self.page.fill("#word", "two words")
        self.at("#word").press("Enter")
        expect(self.at("#law-status")).to_contain_text("one word")


class Attacker(PageTest):
    def test_guesses_are_compared_in_the_browser(self):
        self.open()
        self.page.fill("#epsilon", "2.5")
        self.draw()
        with self.page.expect_response("**/v1/guess") as answer:
            self.page.get_by_role("button", name="Attack this text").click()
        request = answer.value.request.post_data_json
        outputs = self.at("#after .word").all_text_contents()
        self.assertEqual(sorted(request["private"].split()), sorted(set(outputs)))  # each output once, no text
        guesses = {guess["output"]: guess for guess in answer.value.json()["guesses"]}
        rows = self.at("#attacker tbody tr")
        expect(rows).to_have_count(len(outputs))
        words = re.findall(r"\w+", SAMPLE)
        right = [guesses[output]["guess"] == word.lower() for word, output in zip(words, outputs)]
        for row, word, output, is_right in zip(rows.all(), words, outputs, right):
            cells = row.locator("td").all_text_contents()
            self.assertEqual(cells[:2], [output, guesses[output]["guess"]])
            self.assertIn(f"{100 * guesses[output]['posterior']:.1f}"[:3], cells[2])
            self.assertEqual(cells[3], word + ("guessed" if is_right else "missed"))
        expect(self.at("#attacker .headline")).to_contain_text(
            f"of the words of this text are guessed right: {sum(right)} of {len(words)}.")

    def test_attack_follows_the_next_draw(self):
        self.open()
        self.draw()
        self.page.click("#attack")
        expect(self.at("#attacker tbody tr")).to_have_count(14)
        with self.page.expect_response("**/v1/guess"):
            self.page.fill("#text", "The waiter was rude")
        expect(self.at("#attacker tbody tr")).to_have_count(4)

    def test_mechanism_without_closed_law_says_so(self):
        self.allowed = REFUSED
        self.open()
        self.page.select_option("#mechanism", "laplace")
        self.draw()
        self.page.click("#attack")
        expect(self.at("#attacker .note")).to_contain_text(re.compile(r"\w+\."))
        expect(self.at("#attacker table")).to_have_count(0)
