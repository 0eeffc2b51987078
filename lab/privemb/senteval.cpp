#include "lab/privemb/senteval.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "lab/privemb/latin1.h"
#include "sotto/error.h"
#include "text/lookup.h"
#include "text/words.h"

namespace sotto::lab {

namespace {

constexpr std::string_view kSentEvalPage =
    "SentEval's script data/downstream/get_transfer_data.bash (github.com/facebookresearch/SentEval) makes "
    "it";

// One part of a task under both of its names.
struct Part {
  std::string_view ours;           // `<label> <text>`
  std::string_view public_a;       // SentEval's, the only one or the negative half
  std::string_view public_b = {};  // the positive half
};

struct TaskFiles {
  std::string_view name;
  std::string_view set;
  Protocol protocol;
  int classes;
  Part train;
  std::optional<Part> dev = {};
  std::optional<Part> test = {};
};

const std::array kTasks = {
    TaskFiles{.name = "MR",
              .set = "movie reviews (Pang and Lee 2005)",
              .protocol = Protocol::nested_folds,
              .classes = 2,
              .train = {"rt-polarity.all", "MR/rt-polarity.neg", "MR/rt-polarity.pos"}},
    TaskFiles{.name = "CR",
              .set = "customer reviews (Hu and Liu 2004)",
              .protocol = Protocol::nested_folds,
              .classes = 2,
              .train = {"custrev.all", "CR/custrev.neg", "CR/custrev.pos"}},
    TaskFiles{.name = "MPQA",
              .set = "opinion polarity (Wiebe et al. 2005)",
              .protocol = Protocol::nested_folds,
              .classes = 2,
              .train = {"mpqa.all", "MPQA/mpqa.neg", "MPQA/mpqa.pos"}},
    TaskFiles{.name = "SST-5",
              .set = "Stanford sentiment, five classes (Socher et al. 2013)",
              .protocol = Protocol::train_dev_test,
              .classes = 5,
              .train = {"stsa.fine.train", "SST/fine/sentiment-train"},
              .dev = Part{"stsa.fine.dev", "SST/fine/sentiment-dev"},
              .test = Part{"stsa.fine.test", "SST/fine/sentiment-test"}},
    TaskFiles{.name = "TREC-6",
              .set = "questions by type (Li and Roth 2002)",
              .protocol = Protocol::folds_then_test,
              .classes = 6,
              .train = {"TREC.train.all", "TREC/train_5500.label"},
              .test = Part{"TREC.test.all", "TREC/TREC_10.label"}},
};

[[noreturn]] void bad_line(const TaskFiles& task, std::size_t line) {
  throw Error(ErrorCode::bad_data, fmt::format("{} line {}: no label from 0 to {} before the text", task.set,
                                               line + 1, task.classes - 1));
}

// The number of our layout, which is that of the README of the data (TREC: by this order).
int label_of(const TaskFiles& task, std::string_view text, std::size_t line) {
  constexpr std::array<std::string_view, 6> kQuestions = {"DESC", "ENTY", "ABBR", "HUM", "LOC", "NUM"};
  for (std::size_t i = 0; i < kQuestions.size(); ++i) {
    if (task.classes == 6 && text.substr(0, text.find(':')) == kQuestions[i]) return static_cast<int>(i);
  }
  if (text.size() == 1 && text[0] >= '0' && text[0] < '0' + task.classes) return text[0] - '0';
  bad_line(task, line);
}

void add_labelled(const TaskFiles& task, std::string_view text, std::vector<Sentence>& out) {
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::size_t space = lines[i].find(' ');
    if (space == std::string_view::npos) bad_line(task, i);
    out.push_back({label_of(task, lines[i].substr(0, space), i), utf8_of(lines[i].substr(space + 1))});
  }
}

void add_unlabelled(std::string_view text, int label, std::vector<Sentence>& out) {
  for (const std::string_view line : lines_of(text)) {
    if (!line.empty()) out.push_back({label, utf8_of(line)});
  }
}

DataFile file_of(const TaskFiles& task, std::string_view name) {
  const std::string path(name);
  return {.set = task.set,
          .names = {"senteval/downstream/" + path, "SentEval/data/downstream/" + path, "downstream/" + path,
                    "data/downstream/" + path, path},
          .published = kSentEvalPage};
}

std::vector<Sentence> load_part(const DataFolder& data, const TaskFiles& task, const Part& part) {
  std::vector<Sentence> out;
  const std::string ours(part.ours);
  const DataFile own{.set = task.set, .names = {"senteval/" + ours, ours}, .published = kSentEvalPage};
  // Whoever has neither is told of ours, unless part of the public layout is there.
  const DataFile first = file_of(task, part.public_a);
  if (data.find(own) || !data.find(first)) {
    add_labelled(task, data.read(own), out);
  } else if (part.public_b.empty()) {
    add_labelled(task, data.read(first), out);
  } else {
    add_unlabelled(data.read(first), 0, out);
    add_unlabelled(data.read(file_of(task, part.public_b)), 1, out);
  }
  return out;
}

}  // namespace

const std::vector<std::string>& sentence_task_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    out.reserve(kTasks.size());
    for (const TaskFiles& task : kTasks) out.emplace_back(task.name);
    return out;
  }();
  return names;
}

SentenceTask load_sentence_task(const DataFolder& data, std::string_view name) {
  for (const TaskFiles& files : kTasks) {
    if (files.name != name) continue;
    SentenceTask task{.name = std::string(name), .protocol = files.protocol, .classes = files.classes};
    task.train = load_part(data, files, files.train);
    if (files.dev) task.dev = load_part(data, files, *files.dev);
    if (files.test) task.test = load_part(data, files, *files.test);
    return task;
  }
  throw Error(ErrorCode::usage, "no such sentence task; there are MR, CR, MPQA, SST-5 and TREC-6");
}

SentenceWords words_of(const SentenceTask& task, const std::shared_ptr<const Model>& model) {
  const Lookup lookup(model);
  WordBreaker breaker;
  SentenceWords out;
  std::vector<Token> tokens;
  const auto add = [&](const std::vector<Sentence>& sentences, std::vector<std::uint32_t>& rows) {
    for (const Sentence& sentence : sentences) {
      rows.push_back(static_cast<std::uint32_t>(out.sentences.size()));
      out.labels.push_back(sentence.label);
      std::vector<WordId>& words = out.sentences.emplace_back();
      tokens.clear();
      breaker.split(sentence.text, tokens);
      for (const Token token : tokens) {
        const std::string_view text(sentence.text);
        const auto word = lookup.find(text.substr(token.begin, token.end - token.begin));
        if (word) words.push_back(*word);
        out.unknown += word ? 0 : 1;
      }
      out.tokens += tokens.size();
    }
  };
  add(task.train, out.train);
  add(task.dev, out.dev);
  add(task.test, out.test);
  return out;
}

}  // namespace sotto::lab
