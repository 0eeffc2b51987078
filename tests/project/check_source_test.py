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


if __name__ == "__main__":
    unittest.main()
