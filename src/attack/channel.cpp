#include "attack/channel.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "attack/message_kernels.h"
#include "core/parallel.h"
#include "measure/law_rows.h"
#include "sotto/error.h"

namespace sotto {

ExponentialColumns::ExponentialColumns(std::shared_ptr<const AllPairs> pairs, ExponentialLaw law,
                                       std::span<const double> normalisers)
    : law_(std::move(law)), pairs_(std::move(pairs)), logs_(pairs_->space().size()) {
  for (std::size_t w = 0; w < logs_.size(); ++w) {
    logs_[w] = static_cast<float>(std::log(normalisers[pairs_->row(word_id(w))]));
  }
}

std::vector<ExponentialColumns> ExponentialColumns::make_all(const std::shared_ptr<const Space>& space,
                                                             std::span<const ExponentialLaw* const> laws,
                                                             const Work& work) {
  const auto pairs = std::make_shared<const AllPairs>(space);
  std::vector<std::vector<double>> weights(laws.size(), std::vector<double>(pairs->rows(), 0.0));
  std::vector<AllPairs::WeightedKernel> kernels;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const std::span<const double> base = laws[i]->base_weights;
    for (std::size_t w = 0; w < space->size(); ++w) {
      weights[i][pairs->row(word_id(w))] += base.empty() ? 1.0 : base[w];
    }
    kernels.push_back({.kernel = {.slope = laws[i]->slope, .gamma = laws[i]->gamma}, .weights = weights[i]});
  }
  const std::vector<std::vector<double>> sums = pairs->kernel_sums(kernels, work);
  std::vector<ExponentialColumns> out;
  for (std::size_t i = 0; i < laws.size(); ++i) out.push_back(ExponentialColumns(pairs, *laws[i], sums[i]));
  return out;
}

ExponentialColumns::ExponentialColumns(const std::shared_ptr<const Space>& space, const ExponentialLaw& law,
                                       const Work& work)
    : ExponentialColumns([&] {
        const ExponentialLaw* own = &law;
        return make_all(space, std::span(&own, 1), work).front();
      }()) {}

double ExponentialColumns::log_weight(WordId word) const {
  return law_.base_weights.empty() ? 0.0 : std::log(law_.base_weights[index_of(word)]);
}

void ExponentialColumns::visit(std::span<const WordId> outputs, std::span<float> out, const Work& work,
                               const Body& body) const {
  const std::size_t n = pairs_->space().size();
  std::vector<std::size_t> rows;
  for (const WordId output : outputs) rows.push_back(pairs_->row(output));
  pairs_->visit_rows(rows, {.threads = work.threads}, [&](std::size_t i, std::span<const double> distances) {
    const std::span<float> own = out.subspan(i * n, n);
    thread_local std::vector<double> by_word;
    const double* away = distances.data();
    if (pairs_->rows() != n) {
      by_word.resize(n);
      for (std::size_t w = 0; w < n; ++w) by_word[w] = distances[pairs_->row(word_id(w))];
      away = by_word.data();
    }
    ExponentialColumn column{.distances = away,
                             .logs = logs_.data(),
                             .slope = law_.slope,
                             .gamma = law_.gamma,
                             .shift = 0,
                             .words = n};
    const double largest = column.shift = largest_exponent(column);
    exponential_column(column, own.data());
    body(i, largest + log_weight(outputs[i]), own);
  });
}

namespace {

[[noreturn]] void refuse_output() {
  throw Error(
      ErrorCode::bad_data,
      "the release has a word that this mechanism never returns for any word of the model: check that "
      "the mechanism and its parameters are those of the release");
}

class ExponentialChannel final : public Channel {
 public:
  explicit ExponentialChannel(ExponentialColumns columns) : columns_(std::move(columns)) {}

  void columns(std::span<const WordId> outputs, std::span<float> out, const Work& work) const override {
    columns_.visit(outputs, out, work, [](std::size_t, double, std::span<float>) {});
  }

 private:
  ExponentialColumns columns_;
};

// Any other closed law: all its rows are computed, and the columns picked out. One pass for each call.
class PickedColumns final : public LawVisitor {
 public:
  PickedColumns(std::span<const WordId> outputs, std::span<float> out, std::size_t words)
      : outputs_(outputs), out_(out), words_(words) {}
  void visit_row(const LawRow& row) override {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      // Below 1e-30 of float's range nothing is gained, and such numbers are slow.
      const double value = row.law[index_of(outputs_[i])];
      out_[i * words_ + index_of(row.word)] = value < 1e-30 ? 0.0F : static_cast<float>(value);
    }
  }

 private:
  std::span<const WordId> outputs_;
  std::span<float> out_;
  std::size_t words_;
};

class RowChannel final : public Channel {
 public:
  explicit RowChannel(const Mechanism& mechanism) : mechanism_(mechanism) {}

  void columns(std::span<const WordId> outputs, std::span<float> out, const Work& work) const override {
    const std::size_t n = mechanism_.space->size();
    std::vector<WordId> words;
    for (std::size_t w = 0; w < n; ++w) words.push_back(word_id(w));
    PickedColumns picked(outputs, out, n);
    LawVisitor* visitor = &picked;
    stream_laws(mechanism_, words, std::span(&visitor, 1), {.threads = work.threads});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::span<float> own = out.subspan(i * n, n);
      const float largest = *std::ranges::max_element(own);
      if (!(largest > 0)) refuse_output();
      for (float& value : own) value /= largest;
    }
  }

 private:
  Mechanism mechanism_;
};

}  // namespace

std::unique_ptr<const Channel> Channel::make(const Mechanism& mechanism, const Options& options,
                                             const Work& work) {
  return std::move(make_all(std::span(&mechanism, 1), options, work).front());
}

std::vector<std::unique_ptr<const Channel>> Channel::make_all(std::span<const Mechanism> mechanisms,
                                                              const Options& options, const Work& work) {
  std::vector<std::unique_ptr<const Channel>> out;
  std::vector<const ExponentialLaw*> laws;
  for (const Mechanism& mechanism : mechanisms) {
    if (mechanism.words->exponential_law() != nullptr) laws.push_back(mechanism.words->exponential_law());
  }
  if (!laws.empty() && laws.size() == mechanisms.size()) {
    for (ExponentialColumns& own : ExponentialColumns::make_all(mechanisms.front().space, laws, work)) {
      out.push_back(std::make_unique<const ExponentialChannel>(std::move(own)));
    }
    return out;
  }
  for (const Mechanism& mechanism : mechanisms) {
    if (mechanism.words->exponential_law() != nullptr) {
      out.push_back(make(mechanism, options, work));
    } else if (has_closed_law(mechanism)) {
      out.push_back(std::make_unique<const RowChannel>(mechanism));
    } else {
      out.push_back(estimate_channel(mechanism, options, work));
    }
  }
  return out;
}

}  // namespace sotto
