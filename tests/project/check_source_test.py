#!/usr/bin/env python3
"""Plants one fault per check in a tree of its own: a check that cannot fail checks nothing."""
import pathlib
import tempfile
import unittest

import check_source


class CheckSource(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def faults(self, check):
        return list(check_source.CHECKS[check](self.root))

    def test_includes_to_the_left_pass(self):
        self.plant("src/text/a.cpp", '#include "a.h"\n#include "core/rng.h"\n#include "sotto/model.h"\n#include <vector>\n')
        self.plant("include/sotto/space.h", '#include "sotto/model.h"\n')
        self.assertEqual(self.faults("includes"), [])

    def test_includes_to_the_right_fail(self):
        self.plant("src/core/a.cpp", '#include "model/import.h"\n')
        self.plant("src/model/b.cpp", '#include "sotto/privatizer.h"\n')
        self.plant("include/sotto/model.h", "#include <sotto/certificate.h>\n")
        self.assertEqual(len(self.faults("includes")), 3)

    def test_unknown_folders_and_private_headers_fail(self):
        self.plant("src/core/a.cpp", '#include "nowhere/a.h"\n')
        self.plant("include/sotto/model.h", '#include "core/uniform.h"\n')
        self.plant("include/sotto/novel.h", "\n")
        self.assertEqual(len(self.faults("includes")), 3)

    def test_library_that_speaks_fails(self):
        self.plant("src/core/a.cpp", 'std::cerr << 1;\nauto* home = std::getenv("HOME");\n// std::exit(1) is forbidden\n')
        self.plant("apps/cli/main.cpp", "std::cout << 1;\n")
        self.assertEqual(len(self.faults("library")), 2)

    def test_host_names_fail(self):
        self.plant("README.md", "see /" + "root/notes and registry." + "npmjs.org\n")
        self.plant("build/log.txt", "/" + "root/x\n")
        self.assertEqual(len(self.faults("names")), 1)

    def test_long_files_fail(self):
        self.plant("src/core/a.cpp", "\n" * 401)
        self.plant("src/core/b.cpp", "\n" * 400)
        self.assertEqual(len(self.faults("length")), 1)

    def test_dead_links_fail(self):
        self.plant("docs/a.md", "[b](b.md#part) [page](https://example.org/x) [here](#part)\n[gone](../c.md)\n")
        self.plant("docs/b.md", "\n")
        self.assertEqual(len(self.faults("links")), 1)

    def test_citations_of_pages_and_sections_that_are_there_pass(self):
        self.plant("docs/page.md", "# Page\n## 4. tem\n### 4.1 The certificate\n")
        self.plant("src/core/a.cpp", "// As in docs/page.md section 4.1, and docs/page.md,\n// section 4.\nf(\"gone.md\");\n")
        self.plant("tests/a.py", '"""See docs/page.md section 4."""\ntext = """gone.md"""\nprint("x")  # docs/page.md\n')
        self.plant("docs/b.md", "Section 4.1 of page.md; docs/page.md section 4; write NOTES.md\n")
        self.assertEqual(self.faults("citations"), [])

    def test_citations_of_what_is_not_there_fail(self):
        self.plant("docs/page.md", "# Page\n## 4. tem\n")
        self.plant("src/core/a.cpp", "int a;  // page.md section 4: not the page's path\n\n// docs/page.md\n// section 4.1\n")
        self.plant("src/core/b.h", "// docs/page.md section 5\n")
        self.plant("tests/a.py", '"""By gone.md."""\nx = 1  # docs/page.md, section 4.2\n')
        self.plant("tests/cli/a.transcript", "# of gone.md\n")
        self.plant("docs/b.md", "docs/page.md section 9\n")
        self.plant("CMakeLists.txt", "set(a b)  # gone.md\n")
        self.assertEqual(len(self.faults("citations")), 8)

    def test_pages_with_long_lines_and_paragraphs_fail(self):
        self.plant("docs/a.md", "x " * 60 + "x\n")
        self.plant("docs/b.md", "word\n" * 6)
        self.plant("docs/c.md", "- item\n" + "  more\n" * 5)
        self.plant("docs/d.md", "These are:\n- one\n- two\n")
        self.plant("docs/e.md", "1. one\n   - inner\n")
        self.assertEqual(len(self.faults("prose")), 5)

    def test_pages_in_order_pass(self):
        self.plant("docs/a.md", "# A\n" + "word\n" * 5 + "\n" + "y" * 300 + "\n\n- one\n  more\n- two\n    - inner\n\nText\n")
        self.plant("docs/b.md", "| " + "x " * 100 + "|\n" * 9 + "\n```sh\n" + "x " * 100 + "\n" * 9 + "```\n\n    " + "x " * 100 + "\n")
        self.plant("docs/c.md", "1. " + "x " * 58 + "\n" + "   more\n" * 4 + "2. two\n\n" + "![a](a.svg)\n" * 7 + "## B\n- one\n")
        self.plant("CHANGELOG.md", "- " + "x " * 100 + "\n")
        self.assertEqual(self.faults("prose"), [])

    def plant_mechanisms(self):
        self.plant("src/mechanisms/coin.cpp", 'class Coin final : public WordMechanism {};\nclass Seen;\n'
                   'const MechanismInfo kCoin = {\n    .name = "coin",\n};\n')
        self.plant("src/mechanisms/dice/dice.h", "struct Dice : Coin {\n};\n")

    def test_knowing_a_mechanism_by_its_class_fails(self):
        self.plant_mechanisms()
        self.plant("src/mechanisms/dice/other.cpp", "dynamic_cast<const Dice*>(a);\ndynamic_cast<Coin*>(b);\n")
        self.plant("src/certify/a.cpp", "// dynamic_cast<Coin*>(a)\ndynamic_cast<const Seen&>(a);\n"
                   "std::dynamic_pointer_cast<const sotto::Dice>(a);\n")
        self.plant("lab/tests/a.cpp", "dynamic_cast<Dice*>(a);\n")
        self.plant("tests/certify/a_test.cpp", "dynamic_cast<Dice*>(a);\n")
        self.assertEqual(len(self.faults("registry")), 2)

    def test_knowing_a_mechanism_by_its_name_fails(self):
        self.plant_mechanisms()
        self.plant("src/mechanisms/coin_side.cpp", 'if (side == "paper") f();\n')
        self.plant("src/measure/prior.cpp", 'if (name == "coin") f();\nif (name == "uniform") f();\n')
        self.plant("apps/cli/a.cpp", 'if ("coin" != name) f();\nname = "coin";\nif (name == "coins") f();  // == "coin"\n')
        self.plant("python/sotto/a.py", 'if calibration=="paper":\n')
        self.plant("tests/certify/a_test.cpp", 'if (name == "coin") f();\n')
        self.assertEqual(len(self.faults("registry")), 3)

    def test_comparing_metrics_fails(self):
        self.plant("src/text/a.cpp", "if (space.metric() == Metric::euclidean) f();\n// == Metric::chord\n")
        self.plant("apps/b.cpp", "switch (metric) {\n  case sotto::Metric::chord:\n}\nf(Metric::poincare);\n")
        self.plant("tests/c.cpp", "if (metric != Metric::chord) return;\n")
        self.assertEqual(len(self.faults("metrics")), 2)

    def test_a_type_with_two_definitions_fails(self):
        self.plant("src/neighbours/a.h", "namespace sotto {\nstruct Candidate {\n  int word;\n};\n}\n")
        self.plant("src/measure/b.h", "namespace sotto {\n// A setting.\nstruct Candidate {\n  double x = 1;\n};\n}\n")
        self.assertEqual(self.faults("definitions"), [
            "sotto::Candidate is defined in src/measure/b.h and in src/neighbours/a.h: choose another name, or an anonymous "
            "namespace"])

    def test_every_kind_of_definition_counts(self):
        for number, text in enumerate([
                "template <typename T, int n = 3>\nclass Table final : public Base<T> {};",
                "enum class Kind : int { a, b };",
                "inline int twice(const std::string& text, int by = 2) { return by; }",
                "template <typename T>\nconcept Printable = requires(T t) { t.print(); };",
                "inline constexpr int kLimit = 3;",
                "TEST(Suite, Case) { EXPECT_EQ(1, 1); }",
                "std::vector<int> rows(\n    const Model& model) {\n  if (true) { return {}; }\n  return {1};\n}"]):
            for name in ("one.h", "other.h"):
                self.plant(f"src/core/{name}", f"#pragma once\nnamespace sotto::part {{\n\n{text}\n\n}}  // namespace\n")
            self.assertEqual(len(self.faults("definitions")), 1, text)

    def test_what_is_not_a_second_definition_passes(self):
        self.plant("src/core/a.h", """namespace sotto {
struct Known;
void speak(const Known& known, const Options& options = {});
class Later;
using Id = int;
constexpr int kOwn = 1;
extern const int kShared;
struct Outer { struct Inner { int x; }; };
int chosen(int);
}
""")
        self.plant("src/core/b.cpp", """namespace sotto {
namespace {
struct Local { const char* text = "struct Other {"; };
int helper() { return 1; }
}
struct Known { int x; };
void speak(const Known& known, const Options& options) { if (known.x) { helper(); } }
using Id = int;
constexpr int kOwn = 2;
const int kShared = 3;
static int hidden() { return 4; }
int chosen(int) { return 1; }
int chosen(double value) { return 2; }
Outer::Outer() : x_{1} {}
}
namespace other { struct Known { char c; }; }
""")
        self.plant("src/core/c.cpp", """namespace sotto {
namespace {
struct Local { int y; };
int helper() { return 2; }
}
static int hidden() { return 5; }
struct Different { struct Inner { int y; }; };
int chosen(const char* text) { return R"(struct Known { int z; };)"[0]; }
int Known::get() { return 1; }
}
""")
        self.plant("fuzz/a.cpp", "extern \"C\" int LLVMFuzzerTestOneInput(const char* data) { return 0; }\n")
        self.plant("fuzz/b.cpp", "extern \"C\" int LLVMFuzzerTestOneInput(const char* data) { return 0; }\n")
        self.assertEqual(self.faults("definitions"), [])

    def test_a_name_twice_in_one_batch_fails(self):
        for number, text in enumerate([
                "constexpr int kLimit = 3;", "const std::vector<int> kRows = {1, 2};", "constexpr char kText[] = \"a;b\";",
                "struct Row { int x; };", "int twice(int value) { return 2 * value; }",
                "template <typename T>\nT half(T value) { return value / 2; }"]):
            for name in ("one.cpp", "other.cpp"):
                self.plant(f"src/core/{name}", f"namespace sotto {{\nnamespace {{\n\n{text}\n\n}}\nvoid f() {{ g(); }}\n}}\n")
            self.assertEqual(len(self.faults("unity")), 1, text)

    def test_overloads_of_two_files_of_one_batch_fail(self):
        self.plant("tests/core/a_test.cpp", "namespace sotto {\nnamespace {\nint f(int x) { return x; }\n}\n}\n")
        self.plant("tests/core/b_test.cpp", "namespace sotto {\nstatic int f(long x) { return 1; }\n}\n")
        self.assertEqual(self.faults("unity"), [
            "sotto::f is used by tests/core/a_test.cpp and by tests/core/b_test.cpp, which may be compiled as one file: "
            "choose another name"])

    def test_a_file_of_highway_in_a_batch_fails(self):
        self.plant("src/core/a.cpp", "#define HWY_TARGET_INCLUDE \"core/a.cpp\"\n")
        self.assertEqual(self.faults("unity"), [
            "src/core/a.cpp: has code of Highway; name it in SKIP_UNITY_BUILD_INCLUSION in src/core/CMakeLists.txt"])

    def test_files_that_are_compiled_alone_may_use_one_name(self):
        own = "namespace sotto {\nnamespace {\nint f(int x) { return x; }\n}\n}\n"
        for name in ("src/mechanisms/a.cpp", "src/mechanisms/b.cpp", "src/core/a.cpp", "src/model/a.cpp", "src/core/b_kernels.cpp",
                     "lab/tem/a.cpp", "lab/gumbel/a.cpp", "tests/core/a_test.cpp", "fuzz/a.cpp", "fuzz/b.cpp"):
            self.plant(name, own)
        self.plant("src/core/CMakeLists.txt",
                   "set_source_files_properties(c.cpp b_kernels.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)\n")
        self.assertEqual(self.faults("unity"), [])


if __name__ == "__main__":
    unittest.main()
