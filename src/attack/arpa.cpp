#include "attack/arpa.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kLongestLine = 65536;

// Lines of a source, without their ends.
class ArpaLines {
 public:
  explicit ArpaLines(ByteSource& source) : source_(source) {}

  bool next(std::string_view& line) {
    while (true) {
      const std::size_t end = buffer_.find('\n', begin_);
      if (end != std::string::npos || (is_done_ && begin_ < buffer_.size())) {
        const std::size_t stop = end == std::string::npos ? buffer_.size() : end;
        line = std::string_view(buffer_).substr(begin_, stop - begin_);
        if (line.ends_with('\r')) line.remove_suffix(1);
        begin_ = std::min(buffer_.size(), stop + 1);
        ++number_;
        return true;
      }
      if (is_done_) return false;
      if (buffer_.size() - begin_ > kLongestLine) {
        ++number_;
        fail("is longer than 65,536 bytes");
      }
      buffer_.erase(0, begin_);
      begin_ = 0;
      const std::size_t kept = buffer_.size();
      buffer_.resize(kept + kLongestLine);
      const std::size_t got = source_.read(buffer_.data() + kept, kLongestLine);
      buffer_.resize(kept + got);
      is_done_ = got == 0;
    }
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("line {} of the ARPA file {}; is it a whole ARPA language model?", number_, what));
  }

 private:
  ByteSource& source_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t number_ = 0;
  bool is_done_ = false;
};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < line.size();) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.size(), line.find_first_of(" \t", at));
    out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

class ArpaReader {
 public:
  ArpaReader(ByteSource& source, const std::shared_ptr<const Model>& model, std::string_view anchor)
      : lines_(source), builder_(model, anchor) {}

  ImportedLanguage read() {
    read_sections();
    return builder_.build();
  }

 private:
  float power_of_ten(std::string_view field) const {
    double value = 0;
    const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (fault != std::errc() || end != field.data() + field.size() || std::isnan(value) || value > 6) {
      lines_.fail("has no logarithm of a probability where one is expected");
    }
    return static_cast<float>(std::pow(10.0, std::max(value, -30.0)));
  }

  void read_sections() {
    std::string_view line;
    std::size_t order = 0;
    bool has_data = false;
    bool has_end = false;
    while (!has_end && lines_.next(line)) {
      const auto fields = fields_of(line);
      if (fields.empty()) continue;
      if (fields[0] == "\\data\\") {
        has_data = true;
      } else if (fields[0] == "\\end\\") {
        has_end = true;
      } else if (fields[0].size() > 7 && fields[0][0] == '\\' && fields[0].ends_with("-grams:")) {
        order = fields[0][1] >= '1' && fields[0][1] <= '9' && fields[0].size() == 9
                    ? static_cast<std::size_t>(fields[0][1] - '0')
                    : 0;
        if (!has_data || order == 0) lines_.fail("starts a section that is not expected");
      } else if (order > 0) {
        add(order, fields);
      } else if (has_data && fields[0] != "ngram") {
        lines_.fail("is not expected before the first section");
      }
    }
    if (!has_data || !has_end || !builder_.has_words()) {
      throw Error(
          ErrorCode::bad_data,
          "not a whole ARPA language model: it needs \\data\\, \\1-grams: with words of the model, and "
          "\\end\\");
    }
  }

  void add(std::size_t order, const std::vector<std::string_view>& fields) {
    if (fields.size() != order + 1 && fields.size() != order + 2) lines_.fail("has another number of fields");
    if (order > 3) return;
    BackOffBuilder::Values values{.p = std::min(1.0F, power_of_ten(fields[0]))};
    if (fields.size() == order + 2) values.back_off = power_of_ten(fields.back());
    std::array<BackOffBuilder::Word, 3> ids{};
    for (std::size_t i = 0; i < order; ++i) ids[i] = builder_.id_of(fields[1 + i]);
    builder_.add(std::span(ids).first(order), values);
  }

  ArpaLines lines_;
  BackOffBuilder builder_;
};

}  // namespace

ImportedLanguage import_arpa(ByteSource& source, const std::shared_ptr<const Model>& model,
                             std::string_view anchor) {
  return ArpaReader(source, model, anchor).read();
}

ImportedLanguage import_arpa(const std::filesystem::path& path, const std::shared_ptr<const Model>& model,
                             std::string_view anchor) {
  return import_arpa(*open_source(path), model, anchor);
}

}  // namespace sotto
