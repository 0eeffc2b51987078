"""Servers that stop, answers that come late, keys, two tabs."""
import json
import re
import subprocess

from browser import FOLDER, PROGRAM, REFUSED, SAMPLE, UNREACHABLE, PageTest, Server, environment, expect


class Late(PageTest):
    def test_late_law_does_not_overwrite_a_newer_one(self):
        self.open()
        held = []
        self.page.route("**/v1/explain", lambda route: held.append(route) if not held else route.continue_())
        for word in ("doctor", "salt"):
            self.page.fill("#word", word)
            self.at("#word").press("Enter")
        expect(self.at("#law h3")).to_have_text("salt")
        self.messages.clear()
        try:
            held[0].fulfill(json={"word": "doctor", "explained_as": "doctor", "outputs": [{"word": "late", "p": 1}], "map": []})
        except Exception:  # pylint: disable=broad-except
            pass  # the page has given the request up
        self.page.wait_for_timeout(300)
        expect(self.at("#law h3")).to_have_text("salt")

    def test_draws_wait_for_each_other_and_the_newest_is_shown(self):
        self.open()
        self.draw()
        held, sent = [], self.requests("/v1/privatize")
        self.page.route("**/v1/privatize", lambda route: held.append(route) if not held else route.continue_())
        self.page.fill("#text", "the first text is long")
        while not held:
            self.page.wait_for_timeout(50)
        for text in ("the second", "now the third text"):
            self.page.fill("#text", text)
            self.page.wait_for_timeout(900)
        self.assertEqual(len(sent), 1)  # one at a time
        self.assertEqual(self.at("#after .word").count(), 14)  # the old one is still there
        expect(self.at("#after")).to_have_class(re.compile("old"))
        held[0].continue_()
        expect(self.at("#after .word")).to_have_count(4)
        self.assertEqual([body["text"] for body in sent], ["the first text is long", "now the third text"])

    def test_answer_for_an_older_text_marks_nothing_in_the_editor(self):
        self.open()
        self.page.fill("#epsilon", "1")
        held = []
        self.page.uncheck("#live")
        self.page.wait_for_timeout(600)
        self.page.route("**/v1/privatize", lambda route: held.append(route))
        self.page.click("#draw")
        while not held:
            self.page.wait_for_timeout(50)
        self.page.fill("#text", "something else")
        held[0].continue_()
        expect(self.at("#status")).to_have_text("Drawn.")
        expect(self.at("#backdrop u")).to_have_count(0)
        expect(self.at("#after")).to_have_class(re.compile("old"))

    def test_long_request_can_be_left(self):
        self.allowed = "ERR_FAILED|aborted"
        self.open()
        self.page.route("**/v1/privatize", lambda route: None)
        self.page.click("#draw")
        self.page.get_by_role("button", name="Stop waiting").click()
        expect(self.at("#status")).to_contain_text("Stopped.")
        self.page.unroute("**/v1/privatize")
        self.draw()


class Stopping(PageTest):
    allowed = f"{REFUSED}|{UNREACHABLE}"

    def test_server_stops_while_somebody_types_and_comes_back(self):
        own = Server().start()
        self.server = own
        self.open()
        self.draw()
        own.stop()
        self.page.fill("#text", "these words must not be lost")
        expect(self.at("#trouble")).to_contain_text("The service does not answer.")
        expect(self.at("#text")).to_have_value("these words must not be lost")
        self.page.click("#draw")  # nothing breaks
        expect(self.at("#trouble")).to_be_visible()
        own.start()
        self.addCleanup(own.stop)
        expect(self.at("#after .word")).to_have_count(6)
        expect(self.at("#trouble")).to_be_hidden()

    def test_page_that_comes_before_the_model_waits_for_it(self):
        problem = {"type": "urn:sotto:problem:unavailable", "title": "The server cannot answer now.", "status": 503,
                   "detail": "the model is being prepared"}
        self.page.route(re.compile("/v1/models|/readyz"), lambda route: route.fulfill(status=503, json=problem))
        self.page.goto(self.server.address)
        expect(self.at("#trouble")).to_have_text("The server cannot answer now. The model is being prepared.")
        self.page.unroute(re.compile("/v1/models|/readyz"))
        expect(self.at("#expected")).to_contain_text("%")
        expect(self.at("#trouble")).to_be_hidden()

    def test_answer_of_a_proxy_that_is_not_json(self):
        self.open()
        self.page.route("**/v1/privatize", lambda route: route.fulfill(status=200, body="<html>zebrafish"))
        self.page.click("#draw")
        expect(self.at("#trouble")).to_contain_text("not JSON")
        expect(self.at("#trouble")).not_to_contain_text("zebrafish")

    def test_text_that_is_too_large(self):
        self.open()
        # The browser lays out a megabyte slowly, so the body grows on its way to the server.
        large = json.dumps({"text": "word " * 210_000, "epsilon": 3})
        self.page.route("**/v1/privatize", lambda route: route.continue_(post_data=large))
        self.page.click("#draw")
        expect(self.at("#trouble")).to_contain_text(re.compile("larger|too large"))


class Keys(PageTest):
    allowed = REFUSED

    def test_key_is_asked_for_and_kept_in_memory_only(self):
        keys = FOLDER / "keys.json"
        key = subprocess.run([PROGRAM, "serve", "key", "create", "--name", "page", "--scope", "privatize", "--scope", "read",
                              "--keys", keys], capture_output=True, text=True, check=True, env=environment()).stdout.strip()
        own = Server("--keys", str(keys)).start()
        self.addCleanup(own.stop)
        self.server = own
        self.page.goto(own.address)
        expect(self.at("#key-section")).to_be_visible()
        self.page.fill("#key", "sotto_wrong")
        self.at("#key").press("Enter")
        expect(self.at("#trouble")).to_contain_text("does not know this key")
        self.page.fill("#key", key)
        self.page.get_by_role("button", name="Use this key").click()
        expect(self.at("#expected")).to_contain_text("%")
        expect(self.at("#key-section")).to_be_hidden()
        self.draw()
        self.assertIn("$SOTTO_KEY", self.at("#line-curl").text_content())
        self.assertNotIn(key, self.page.content())


class Tabs(PageTest):
    def test_two_tabs_have_two_settings(self):
        other = self.new_page()
        self.open()
        self.open(other)
        self.page.fill("#epsilon", "1")
        other.select_option("#mechanism", "redact")
        self.draw(SAMPLE)
        self.draw("to be", page=other)
        expect(self.at("#after .word")).to_have_count(14)
        expect(other.locator("#after")).to_have_text("[word] [word]")
        expect(self.at("#line-program")).to_contain_text("--mechanism tem")
        expect(other.locator("#line-program")).to_contain_text("--mechanism redact")

    def test_reload_forgets_the_text(self):
        self.open()
        self.draw("zebrafish are quiet")
        self.page.reload()
        expect(self.at("#expected")).to_contain_text("%")
        self.assertNotIn("zebrafish", self.at("#text").input_value())
        expect(self.at("#after .word")).to_have_count(0)
