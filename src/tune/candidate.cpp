#include "tune/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sotto/error.h"
#include "sotto/mechanism.h"

namespace sotto {
namespace {

bool is_switch(const std::string& mechanism, std::string_view name) {
  const auto parameters = find_mechanism(mechanism).parameters;
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found != parameters.end() && found->kind == Parameter::Kind::flag;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::vector<std::string> words_of(std::string line) {
  for (char& c : line) c = c == '\t' || c == '\r' ? ' ' : c;
  return split(line, ' ');
}

// One line; its parameters are checked by the mechanism's own table.
std::vector<Candidate> candidates_of(const std::vector<std::string>& words) {
  Candidate base{.mechanism = words.front()};
  std::vector<std::string> epsilons;
  (void)find_mechanism(base.mechanism);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with("--") || words[i].size() == 2) {
      throw Error(ErrorCode::usage, fmt::format("\"{}\" is no flag", words[i]));
    }
    const std::string name = words[i].substr(2);
    if (is_switch(base.mechanism, name)) {
      base.parameters[name] = "true";
      continue;
    }
    if (i + 1 == words.size()) throw Error(ErrorCode::usage, fmt::format("`{}` needs a value", name));
    if (name == "epsilon") {
      epsilons = split(words[++i], ',');
    } else {
      base.parameters[name] = words[++i];
    }
  }
  std::vector<Candidate> out;
  if (epsilons.empty()) out.push_back(base);
  for (const std::string& epsilon : epsilons) {
    out.push_back(base);
    out.back().parameters["epsilon"] = epsilon;
  }
  for (const Candidate& candidate : out) (void)parse_setting(candidate.mechanism, candidate.parameters);
  return out;
}

std::string whole_text(ByteSource& source) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::string text(kMost + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const std::size_t got = source.read(text.data() + size, text.size() - size);
    if (got == 0) break;
    size += got;
  }
  if (size > kMost)
    throw Error(ErrorCode::bad_data,
                "the file of candidates is over 1 MB; it must be a text with one setting per line");
  text.resize(size);
  return text;
}

}  // namespace

std::optional<double> Candidate::epsilon() const {
  const auto found = parameters.find("epsilon");
  if (found == parameters.end()) return std::nullopt;
  return parse_number("`epsilon`", found->second, Infinity::refused);
}

std::string Candidate::family() const {
  std::string out = mechanism;
  for (const auto& [name, value] : parameters) {
    if (name == "epsilon") continue;
    out += is_switch(mechanism, name) ? fmt::format(", {}", name) : fmt::format(", {} {}", name, value);
  }
  return out;
}

std::string Candidate::line() const {
  std::string out = mechanism;
  const auto add = [&](const std::string& name, const std::string& value) {
    out += is_switch(mechanism, name) ? fmt::format(" --{}", name) : fmt::format(" --{} {}", name, value);
  };
  if (const auto found = parameters.find("epsilon"); found != parameters.end()) add("epsilon", found->second);
  for (const auto& [name, value] : parameters) {
    if (name != "epsilon") add(name, value);
  }
  return out;
}

std::vector<Candidate> read_candidates(ByteSource& source) {
  std::vector<Candidate> out;
  std::istringstream text(whole_text(source));
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words.front().starts_with('#')) continue;
    try {
      for (Candidate& candidate : candidates_of(words)) {
        if (std::ranges::find(out, candidate) == out.end()) out.push_back(std::move(candidate));
      }
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_data, fmt::format("line {} of the candidates: {}; a line is a mechanism and "
                                                   "its flags, such as `vickrey --t 0.5 --epsilon 1,2,5`",
                                                   number, error.what()));
    }
  }
  if (out.empty())
    throw Error(
        ErrorCode::bad_data,
        "the file of candidates holds no setting; write one per line, such as `tem --epsilon 2,2.5,3`");
  return out;
}

}  // namespace sotto
