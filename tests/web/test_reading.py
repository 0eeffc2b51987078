"""Long texts and other scripts."""
import random

from browser import REFUSED, SAMPLE, PageTest, expect

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
