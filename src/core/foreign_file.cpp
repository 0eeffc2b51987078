#include "core/foreign_file.h"

#include <algorithm>
#include <array>

namespace sotto {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSheet = "save the sheet as CSV in UTF-8, and give that file";
constexpr std::string_view kUtf16 = "convert it first: iconv -f UTF-16 -t UTF-8 FILE > NEW";
// "PAR1" could begin a text; the byte after it, the start of a page, could not.
constexpr std::array kForeign = {
    ForeignFile{
        "PAR1\x15"sv, "a Parquet file",
        "Python takes it: python -m sotto privatize FILE --column NAME --epsilon NUMBER -o NEW.parquet"},
    ForeignFile{"PK\x03\x04"sv, "a ZIP archive or an Excel file",
                "unpack the archive with unzip, or save the sheet as CSV in UTF-8, and give that file"},
    ForeignFile{"\xd0\xcf\x11\xe0"sv, "an old Excel or Word file", kSheet},
    ForeignFile{"\xfd"
                "7zXZ\0"sv,
                "compressed with xz", "decompress it first: xz -dc FILE > NEW"},
    ForeignFile{"BZh91AY&SY"sv, "compressed with bzip2", "decompress it first: bzip2 -dc FILE > NEW"},
    ForeignFile{"%PDF-"sv, "a PDF file", "extract its text first: pdftotext FILE NEW"},
    ForeignFile{"\xff\xfe"sv, "in UTF-16", kUtf16},
    ForeignFile{"\xfe\xff"sv, "in UTF-16", kUtf16},
};
constexpr std::size_t kFirstLook = 2;  // bytes: enough to see that it is none of these, nearly always

}  // namespace

std::optional<ForeignFile> foreign_file(PeekedSource& source) {
  for (const ForeignFile& kind : kForeign) {
    if (!source.head(kFirstLook).starts_with(kind.magic.substr(0, kFirstLook))) continue;
    if (source.head(kind.magic.size()).starts_with(kind.magic)) return kind;
  }
  return std::nullopt;
}

}  // namespace sotto
