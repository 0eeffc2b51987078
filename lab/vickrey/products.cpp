#include "lab/vickrey/products.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "lab/privemb/lexicon.h"
#include "lab/vickrey/embeddings.h"
#include "mechanisms/noise/vickrey.h"
#include "sotto/parameters.h"
#include "tune/tune.h"

namespace sotto::lab::vickrey {

namespace {

constexpr std::array kBudgets = {0.06, 0.02};
constexpr std::array kFirstEpsilons = {1.0, 1.25, 1.5625};

// The paper prints no places; these are ours.
constexpr std::array<float, 5> kPlaces = {0, 1, 2.5, 3.5, 5};
constexpr std::array kNames = {"A", "B", "C", "D", "E"};
constexpr double kFigure1T = 0.5;

std::array<double, kPlaces.size()> chances_at(const Model& line, double place, double t) {
  std::vector<double> noisy(line.stride(), 0.0);
  noisy[0] = place;
  std::array<Neighbour, 2> nearest{};
  scan_nearest(line, noisy, nearest.size(), nearest);
  const double first = first_of_two(nearest, t);
  std::array<double, kPlaces.size()> out{};
  out[index_of(nearest[0].word)] = first;
  out[index_of(nearest[1].word)] = 1 - first;
  return out;
}

}  // namespace

Subject product_words(const Run& run, const std::string& vectors) {
  const std::shared_ptr<const Model> embedding = load_vectors(run, vectors);
  const Lexicon lexicon = load_lexicon(run.data(), embedding);
  std::vector<std::int32_t> labels(embedding->size(), Labels::kNone);
  for (const WordId word : lexicon.positive) labels[index_of(word)] = 0;
  for (const WordId word : lexicon.negative) labels[index_of(word)] = 1;
  std::vector<WordId> words;
  Labels own;
  own.names = {"positive", "negative"};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == Labels::kNone) continue;
    words.push_back(word_id(i));
    own.of.push_back(labels[i]);
  }
  own.labelled = words.size();
  own.entries = lexicon.positive_listed + lexicon.negative_listed;
  const Domain domain = make_domain(run, fmt::format("products-{}", vectors), *embedding, std::move(words));
  return {.data = "products",
          .vectors = vectors,
          .model = domain.model,
          .prior = uniform_prior(*domain.model),
          .labels = std::move(own)};
}

void draw_figure1(const Run& run) {
  const auto line = Model::from_words({"a", "b", "c", "d", "e"}, {kPlaces.begin(), kPlaces.end()},
                                      1);  // folded, as words are
  Points points = run.points("figure1", figure1_layout());
  for (const double t : {0.0, kFigure1T}) {
    const std::string mechanism = t == 0 ? "laplace" : series_of_t(t);
    html::Plot plot{.title = fmt::format("{}: what is written for a noisy vector", mechanism),
                    .caption = "Five words on a line, at 0, 1, 2.5, 3.5 and 5 (figure 1 of vickrey-2021).",
                    .x = {.label = "place of the noisy vector"},
                    .y = {.label = "probability", .from = 0, .to = 1.02}};
    for (const char* name : kNames) {
      plot.series.push_back({.name = name, .mark = html::Series::Mark::line});
    }
    for (int step = -100; step <= 600; ++step) {
      const double place = step / 100.0;
      const auto chances = chances_at(*line, place, t);
      for (std::size_t w = 0; w < chances.size(); ++w) {
        plot.series[w].points.push_back({.x = place, .y = chances[w]});
      }
      const std::vector<std::string> keys = {mechanism, number_text(place)};
      if (step % 25 == 0 && !points.find(keys)) {
        points.add({.keys = keys, .values = {chances.begin(), chances.end()}});
      }
    }
    run.save_figure(t == 0 ? "figure1-laplace" : "figure1-vickrey", plot);
  }
}

void choose_as_printed(const Run& run, const Settings& settings, Points& choices) {
  const std::string& vectors = settings.vectors.front();
  const auto keys_of = [&](double first, double budget) {
    return std::vector<std::string>{vectors, number_text(first), number_text(budget)};
  };
  const Subject subject = product_words(run, vectors);
  TuneBench bench(subject.model, {.prior = subject.prior,
                                  .labels = subject.labels,
                                  .loss = UtilityLoss::label,
                                  .draws = settings.product_draws,
                                  .seed = run.seed_of({"choices", vectors})});
  TuneStore store(run.request().output / "choices.state", bench);
  for (const double first : kFirstEpsilons) {
    for (const double budget : kBudgets) {
      if (choices.find(keys_of(first, budget))) continue;
      const TuneResult result = tune_as_printed(bench, {.max_loss = budget, .first_epsilon = first}, &store,
                                                {.threads = run.threads()});
      Points::Row row{.keys = keys_of(first, budget),
                      .values = std::vector<double>(choices.layout().values.size(), std::nan(""))};
      if (result.choice.recommended) {
        const TunePoint& best = result.points[*result.choice.recommended];
        const auto printed = printed_tradeoff(best, UtilityLoss::label);
        const Bounds error = best.bounds("e_opt").value_or(Bounds{});
        row.values = {best.nominal_epsilon,
                      std::stod(best.candidate.parameters.at("t")),
                      printed ? printed->loss : std::nan(""),
                      printed ? printed->error : std::nan(""),
                      error.low,
                      error.high,
                      static_cast<double>(best.draws)};
      }
      choices.add(row);
      tell(fmt::format("Algorithm 2 from epsilon {} with budget {}: epsilon {}, t {}", first, budget,
                       row.values[0], row.values[1]));
    }
  }
}

}  // namespace sotto::lab::vickrey
