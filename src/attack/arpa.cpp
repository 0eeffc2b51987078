#include "attack/arpa.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "model/unicode.h"
#include "sotto/error.h"
#include "text/lookup.h"

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

struct Entry {
  std::uint32_t first = 0;   // trigrams: u
  std::uint32_t second = 0;  // bigrams, trigrams: v
  std::uint32_t word = 0;
  float p = 0;
  float back_off = 1;
};

class ArpaReader {
 public:
  ArpaReader(ByteSource& source, const std::shared_ptr<const Model>& model, std::string_view anchor)
      : lines_(source), lookup_(model), anchor_(lookup_.anchor(anchor)), size_(model->size()) {}

  ArpaImport read() {
    read_sections();
    ArpaImport out{.words = words_, .unknown = unknown_};
    LanguageModelParts& parts = out.parts;
    parts.anchor = anchor_;
    parts.order = grams_[2].empty() ? (grams_[1].empty() ? 1 : 2) : 3;
    fill_words(parts);
    if (parts.order >= 2) fill_bigrams(parts);
    if (parts.order == 3) fill_trigrams(parts);
    return out;
  }

 private:
  [[nodiscard]] std::uint32_t start() const { return static_cast<std::uint32_t>(size_); }

  // The word of a field: a word of the model, start(), or nothing.
  std::optional<std::uint32_t> id_of(std::string_view field) const {
    if (field == "<s>" || field == "<S>") return start();
    if (field == "<unk>" || field == "<UNK>") return static_cast<std::uint32_t>(anchor_);
    if (field == "</s>" || field == "</S>" || !is_valid_utf8(field)) return std::nullopt;
    const auto found = lookup_.find(field);
    if (!found) return std::nullopt;
    return static_cast<std::uint32_t>(*found);
  }

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
    if (!has_data || !has_end || grams_[0].empty()) {
      throw Error(
          ErrorCode::bad_data,
          "not a whole ARPA language model: it needs \\data\\, \\1-grams: with words of the model, and "
          "\\end\\");
    }
  }

  void add(std::size_t order, const std::vector<std::string_view>& fields) {
    if (fields.size() != order + 1 && fields.size() != order + 2) lines_.fail("has another number of fields");
    if (order > 3) return;
    Entry entry{.p = std::min(1.0F, power_of_ten(fields[0]))};
    if (fields.size() == order + 2) entry.back_off = power_of_ten(fields.back());
    std::array<std::uint32_t, 3> ids{};
    for (std::size_t i = 0; i < order; ++i) {
      const auto id = id_of(fields[1 + i]);
      const bool is_last = i + 1 == order;
      if (order == 1) {
        ++words_;
        unknown_ += id ? 0 : 1;
      }
      // <s> begins a document: nothing but a context.
      if (!id || (*id == start() && order > 1 && (is_last || i > 0))) return;
      ids[i] = *id;
    }
    entry.word = ids[order - 1];
    if (order >= 2) entry.second = ids[order - 2];
    if (order == 3) entry.first = ids[0];
    grams_[order - 1].push_back(entry);
  }

  // Sorted; of several entries of one n-gram the first stays.
  static void sort_grams(std::vector<Entry>& grams) {
    const auto key = [](const Entry& e) { return std::array{e.first, e.second, e.word}; };
    std::ranges::stable_sort(grams, {}, key);
    grams.erase(std::unique(grams.begin(), grams.end(),
                            [&](const Entry& a, const Entry& b) { return key(a) == key(b); }),
                grams.end());
  }

  void fill_words(LanguageModelParts& parts) {
    sort_grams(grams_[0]);
    back_off_.assign(size_ + 1, 1.0F);
    std::vector<double> p(size_, 0.0);
    double rarest = 1;
    for (const Entry& entry : grams_[0]) {
      back_off_[entry.word] = entry.back_off;
      if (entry.word == start()) continue;
      p[entry.word] = std::max(1e-12, double{entry.p});
      rarest = std::min(rarest, p[entry.word]);
    }
    double total = 0;
    for (double& own : p) total += own = own > 0 ? own : rarest;
    parts.unigram.resize(size_);
    for (std::size_t w = 0; w < size_; ++w) parts.unigram[w] = static_cast<float>(p[w] / total);
    parts.base = parts.unigram;
  }

  // S = p - bow * lower and the spread bow, scaled so that all words of the row sum to 1.
  struct Row {
    double spread = 1;
    double total = 0;
  };
  static void scale(const Row& row, std::span<float> values, float& spread) {
    const double total = row.total + row.spread;
    // A row whose listed words leave nothing, or far too much, says nothing: the lower order alone.
    constexpr double kLargest = 1e5;
    const double factor = total > 1e-6 ? 1 / total : 0;
    if (factor == 0 || (1 + row.spread) * factor > kLargest) {
      std::ranges::fill(values, 0.0F);
      spread = 1;
      return;
    }
    for (float& value : values) value = static_cast<float>(double{value} * factor);
    spread = static_cast<float>(row.spread * factor);
  }

  void fill_bigrams(LanguageModelParts& parts) {
    sort_grams(grams_[1]);
    parts.bigram_begins.assign(size_ + 2, 0);
    parts.lambda.assign(size_ + 1, 1.0F);
    const std::vector<Entry>& grams = grams_[1];
    for (const Entry& entry : grams) {
      ++parts.bigram_begins[entry.second + 1];
      parts.bigram_words.push_back(entry.word);
      const double spread = back_off_[entry.second];
      parts.values.push_back(static_cast<float>(double{entry.p} - spread * double{parts.base[entry.word]}));
    }
    for (std::size_t c = 0; c <= size_; ++c) parts.bigram_begins[c + 1] += parts.bigram_begins[c];
    for (std::size_t c = 0; c <= size_; ++c) {
      const auto own =
          std::span(parts.values)
              .subspan(parts.bigram_begins[c], parts.bigram_begins[c + 1] - parts.bigram_begins[c]);
      Row row{.spread = own.empty() ? 1.0 : double{back_off_[c]}};
      for (const float value : own) row.total += double{value};
      scale(row, own, parts.lambda[c]);
    }
    parts.back_values = parts.order == 3 ? parts.values : std::vector<float>();
    parts.back_lambda = parts.order == 3 ? parts.lambda : std::vector<float>();
  }

  void fill_trigrams(LanguageModelParts& parts) {
    sort_grams(grams_[2]);
    const std::vector<Entry>& bigrams = grams_[1];
    parts.trigram_begins.assign(bigrams.size() + 1, 0);
    parts.mu.assign(bigrams.size(), 1.0F);
    const auto place_of = [&](std::uint32_t v, std::uint32_t w) -> std::optional<std::size_t> {
      const auto first = parts.bigram_words.begin() + static_cast<std::ptrdiff_t>(parts.bigram_begins[v]);
      const auto last = parts.bigram_words.begin() + static_cast<std::ptrdiff_t>(parts.bigram_begins[v + 1]);
      const auto found = std::lower_bound(first, last, w);
      if (found == last || *found != w) return std::nullopt;
      return static_cast<std::size_t>(found - parts.bigram_words.begin());
    };
    for (const Entry& entry : grams_[2]) {
      const auto context = place_of(entry.first, entry.second);
      if (!context) continue;  // the file lacks the bigram, or it was left out
      const auto lower = place_of(entry.second, entry.word);
      const double spread = double{parts.lambda[entry.second]} * double{parts.base[entry.word]};
      const double back = std::max(0.0, lower ? double{parts.values[*lower]} + spread : spread);
      ++parts.trigram_begins[*context + 1];
      parts.trigram_words.push_back(entry.word);
      parts.trigram_values.push_back(
          static_cast<float>(double{entry.p} - double{bigrams[*context].back_off} * back));
    }
    for (std::size_t c = 0; c < bigrams.size(); ++c) parts.trigram_begins[c + 1] += parts.trigram_begins[c];
    for (std::size_t c = 0; c < bigrams.size(); ++c) {
      const auto own =
          std::span(parts.trigram_values)
              .subspan(parts.trigram_begins[c], parts.trigram_begins[c + 1] - parts.trigram_begins[c]);
      Row row{.spread = own.empty() ? 1.0 : double{bigrams[c].back_off}};
      for (const float value : own) row.total += double{value};
      scale(row, own, parts.mu[c]);
    }
  }

  ArpaLines lines_;
  Lookup lookup_;
  WordId anchor_;
  std::size_t size_;
  std::uint64_t words_ = 0;
  std::uint64_t unknown_ = 0;
  std::array<std::vector<Entry>, 3> grams_;
  std::vector<float> back_off_;  // by context
};

}  // namespace

ArpaImport import_arpa(ByteSource& source, const std::shared_ptr<const Model>& model,
                       std::string_view anchor) {
  ArpaImport out = ArpaReader(source, model, anchor).read();
  out.parts.identity = model->identity();
  return out;
}

ArpaImport import_arpa(const std::filesystem::path& path, const std::shared_ptr<const Model>& model,
                       std::string_view anchor) {
  return import_arpa(*open_source(path), model, anchor);
}

}  // namespace sotto
