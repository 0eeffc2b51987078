"""Question 4: how do I do this for real? The lines on the page are run."""
import ast
import json
import subprocess

from browser import FOLDER, PROGRAM, SAMPLE, PageTest, environment, expect


class Recipes(PageTest):
    context_options = {"permissions": ["clipboard-read", "clipboard-write"]}

    def lines(self, name):
        return self.at(f"#line-{name}").text_content()

    def run_lines(self, lines):
        folder = FOLDER / self._testMethodName
        folder.mkdir(exist_ok=True)
        (folder / "my.txt").write_text(SAMPLE + "\n")
        (folder / "sotto").unlink(missing_ok=True)
        (folder / "sotto").symlink_to(PROGRAM)
        found = environment()
        found["PATH"] = f"{folder}:{found['PATH']}"
        done = subprocess.run(["bash", "-c", lines], cwd=folder, env=found, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder, done.stdout

    def set_much(self):
        self.page.select_option("#calibration", "exact")
        self.page.fill("#epsilon", "2.25")
        self.page.click("#more summary")
        self.page.fill("#p-beta", "0.01")

    def test_program_line_runs_with_the_setting(self):
        self.open()
        self.set_much()
        folder, _ = self.run_lines(self.lines("program"))
        report = json.loads((folder / "report.json").read_text())
        self.assertEqual(report["mechanism"], "tem")
        self.assertEqual(report["nominal_epsilon"], 2.25)
        self.assertEqual((report["parameters"]["calibration"], report["parameters"]["beta"]), ("exact", "0.01"))
        self.assertEqual(len((folder / "private.txt").read_text().split()), 14)

    def test_curl_line_runs_with_the_setting(self):
        self.open()
        self.set_much()
        answer = json.loads(self.run_lines(self.lines("curl"))[1])
        self.assertEqual((answer["mechanism"], answer["epsilon"], answer["status"]), ("tem", 2.25, "proven"))
        self.assertIsNotNone(answer["certified_epsilon"])

    def test_quoted_parameter_survives_the_shell(self):
        self.open()
        self.page.select_option("#mechanism", "redact")
        self.page.click("#more summary")
        self.page.fill("#p-token", "it's $HOME")
        self.page.locator("#p-token").blur()
        self.assertEqual(json.loads(self.run_lines(self.lines("curl"))[1])["text"], " ".join(["it's $HOME"] * 4))
        folder, _ = self.run_lines(self.lines("program"))
        self.assertTrue((folder / "private.txt").read_text().startswith("it's $HOME it's $HOME"))

    def test_python_lines_name_the_setting(self):
        self.open()
        self.set_much()
        calls = [node for node in ast.walk(ast.parse(self.lines("python"))) if isinstance(node, ast.Call)]
        made = next(call for call in calls if call.func.attr == "Mechanism")
        self.assertEqual(made.args[0].value, "tem")
        self.assertEqual({key.arg: key.value.value for key in made.keywords}, {"epsilon": 2.25, "calibration": "exact", "beta": 0.01})

    def test_python_keyword_lambda_has_another_name(self):
        self.open()
        self.page.select_option("#mechanism", "mahalanobis")
        self.page.click("#more summary")
        self.page.fill("#p-lambda", "0.5")
        self.page.locator("#p-lambda").blur()
        self.assertIn("lambda_=0.5", self.lines("python"))
        self.assertIn("--lambda 0.5", self.lines("program"))
        ast.parse(self.lines("python"))

    def test_copy_buttons_copy(self):
        self.open()
        for name, title in {"program": "Program", "python": "Python", "curl": "HTTP"}.items():
            button = self.page.get_by_role("button", name=f"Copy the lines for {title}")
            button.click()
            expect(button).to_have_text("Copied")
            self.assertEqual(self.page.evaluate("navigator.clipboard.readText()"), self.lines(name))

    def test_lines_never_hold_the_text(self):
        self.open()
        self.draw("zebrafish are quiet")
        for name in ("program", "python", "curl"):
            self.assertNotIn("zebrafish", self.lines(name))

    def test_guarantee_is_the_services(self):
        self.open()
        with self.page.expect_response("**/v1/privatize") as answer:
            self.page.fill("#epsilon", "1.75")
        expect(self.at("#guarantee")).to_have_text(answer.value.json()["guarantee"])
        self.assertIn("1.75", self.at("#guarantee").text_content())
        expect(self.page.get_by_role("heading", name="What is not protected")).to_be_visible()
