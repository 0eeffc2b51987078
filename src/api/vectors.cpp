#include "api/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/ledger.h"
#include "api/release_debits.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "core/utc_time.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "sotto/release.h"
#include "sotto/rng.h"
#include "text/vector_rows.h"

namespace sotto::api {

namespace {

// A block of rows has a random stream of its own, and its size depends on the dimension only, so that a
// seeded release does not depend on the number of threads.
std::size_t block_rows(std::size_t columns) {
  return std::clamp<std::size_t>((std::size_t{1} << 18) / columns, 1, 512);
}

// Gives the rows from `begin` to `end`, perhaps in `room`.
using RowsOf =
    std::function<std::span<const double>(std::size_t begin, std::size_t end, std::vector<double>& room)>;
struct SomeRows {
  std::size_t count = 0;
  RowsOf of;
};
SomeRows dense_rows(std::span<const double> values, std::size_t columns) {
  return {.count = values.size() / columns,
          .of = [=](std::size_t begin, std::size_t end, std::vector<double>& /*room*/) {
            return values.subspan(begin * columns, (end - begin) * columns);
          }};
}

// Calls take(first row, released values) for each block of `rows`, on several threads. The streams are those
// of the blocks from `first_stream` on.
void release_blocks(const VectorMechanism& vectors, const SomeRows& rows, const RandomSource& random,
                    std::uint64_t first_stream, unsigned threads,
                    const std::function<void(std::size_t, std::span<const double>)>& take) {
  const std::size_t block = block_rows(vectors.input_dim());
  parallel_blocks(rows.count, block, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> room;
    std::vector<double> released((end - begin) * vectors.output_dim());
    Rng rng = random.stream(first_stream + begin / block);
    vectors.release_batch(rows.of(begin, end, room), released, rng);
    take(begin, released);
  });
}

void append_lines(std::span<const double> values, const NpyShape& shape, std::string& out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (shape.type == NpyShape::Type::float32) {
      fmt::format_to(std::back_inserter(out), "{}", static_cast<float>(values[i]));
    } else {
      fmt::format_to(std::back_inserter(out), "{}", values[i]);
    }
    out += (i + 1) % shape.cols == 0 ? '\n' : ' ';
  }
}

enum class Written { npy, lines };

// Returns the number of rows.
std::uint64_t write_rows(VectorRows& rows, ByteSink& sink, Written written, const VectorMechanism& vectors,
                         const RandomSource& random, const Work& work,
                         const std::function<void(std::uint64_t)>& before_write) {
  const NpyShape in = rows.shape();
  const NpyShape out{.rows = in.rows, .cols = vectors.output_dim(), .type = in.type};
  bool has_header = written != Written::npy;
  const std::size_t block = block_rows(in.cols);
  const std::size_t blocks = std::size_t{4} * thread_count(work.threads);
  std::vector<double> values(blocks * block * in.cols);
  std::uint64_t done = 0;
  for (std::uint64_t first_stream = 0;; first_stream += blocks) {
    // Whole batches but for the last: the reader may give less at a time.
    std::size_t count = 0;
    while (const std::size_t more = rows.read(std::span(values).subspan(count * in.cols))) {
      count += more;
      if (count == blocks * block) break;
    }
    if (count == 0 && has_header) return done;
    std::vector<std::string> bytes(blocks);
    release_blocks(vectors, dense_rows(std::span(values).first(count * in.cols), in.cols), random,
                   first_stream, work.threads, [&](std::size_t row, std::span<const double> released) {
                     std::string& own = bytes[row / block];
                     if (written == Written::npy) {
                       append_npy_values(released, out.type, own);
                     } else {
                       append_lines(released, out, own);
                     }
                   });
    if (before_write) before_write(count);
    if (!std::exchange(has_header, true)) sink.write(npy_header(out));
    for (const std::string& part : bytes) sink.write(part);
    done += count;
  }
}

}  // namespace

Status VectorsAnswer::status() const {
  return ReleaseConditions{.seeded_not_private = facts.seeded_not_private}.status(mechanism.claim);
}

std::optional<Strength> VectorsAnswer::strength() const {
  return facts.expected ? std::optional(strength_of(facts.expected->unchanged)) : std::nullopt;
}

Json to_json(const VectorsAnswer& answer) {
  const Mechanism& mechanism = answer.mechanism;
  const VectorReleaseFacts& facts = answer.facts;
  const std::optional<Strength> strength = answer.strength();
  Json json = start_answer("sotto.vectors/1");
  json["mechanism"] = mechanism.info->name;
  json["parameters"] = mechanism.parameters.texts();
  json["nominal_epsilon"] = mechanism.claim.epsilon;
  json["status"] = status_name(answer.status());
  json["strength"] = strength ? Json(strength_name(*strength)) : Json(nullptr);
  json["guarantee"] = mechanism.claim.guarantee;
  json["facts"] = Json::object();
  for (const auto& [name, value] : mechanism.facts) json["facts"][name] = value;
  json["rows"] = facts.rows;
  json["number_type"] = facts.number_type;
  if (facts.words) json["unknown_words"] = facts.words->unknown;
  json["released"] = released_json(facts.released);
  json["spent"] = balances_json(answer.spent);
  json["seconds"] = answer.seconds;
  json["report"] = answer.report_path.empty() ? Json(nullptr) : Json(answer.report_path);
  return json;
}

VectorRelease::VectorRelease(VectorsRequest request)
    : answer_{.mechanism = std::move(request.mechanism),
              .facts = {.model = std::move(request.model),
                        .words = std::move(request.words),
                        .seeded_not_private = request.seed_not_private.has_value()}},
      seed_(request.seed_not_private) {
  if (!request.ledger) return;
  const Mechanism& mechanism = answer_.mechanism;
  const Model* words = answer_.facts.words ? answer_.facts.model.get() : nullptr;
  debits_ = std::make_shared<ReleaseDebits>(*request.ledger, mechanism, answer_.status(),
                                            vector_scope(mechanism, words));
}

const VectorsAnswer& VectorRelease::promise(const Work& work) {
  VectorReleaseFacts& facts = answer_.facts;
  if (facts.words && !facts.expected) {
    facts.expected = vector_forecast(answer_.mechanism, *facts.model, work.threads);
  }
  return answer_;
}

std::unique_ptr<ByteSink> VectorRelease::file(VectorRows& rows, const std::filesystem::path& output,
                                              Overwrite overwrite, const Work& work) {
  VectorReleaseFacts& facts = answer_.facts;
  facts.released_at = utc_now();
  facts.number_type = rows.shape().type == NpyShape::Type::float32 ? "float32" : "float64";
  Sha256 hash;
  std::unique_ptr<ByteSink> sink = open_sink(output, overwrite, &hash);
  const auto started = std::chrono::steady_clock::now();
  const auto note = [&](std::vector<Balance> spent) {
    if (!spent.empty()) answer_.spent = std::move(spent);
  };
  if (debits_) debits_->check();
  std::function<void(std::uint64_t)> before_write;
  bool is_first = true;
  if (debits_ && !sink->holds_back()) {
    before_write = [&](std::uint64_t count) { note(debits_->part(count, std::exchange(is_first, false))); };
  }
  facts.rows = write_rows(rows, *sink, is_named_npy(output) ? Written::npy : Written::lines,
                          *answer_.mechanism.vectors, RandomSource::fresh_or_seeded_not_private(seed_), work,
                          before_write);
  if (debits_ && sink->holds_back()) note(debits_->all_at_once(facts.rows));
  answer_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  sink->close();
  facts.released = {{.name = output.filename().string(), .sha256 = hex_text(hash.digest())}};
  return sink;
}

void VectorRelease::check_columns(std::size_t columns) const {
  const std::size_t expected = answer_.mechanism.vectors->input_dim();
  if (columns == expected) return;
  throw Error(
      ErrorCode::bad_data,
      fmt::format("the vectors have {} dimensions; this mechanism was built for {}", columns, expected));
}

// Drawn, then debited, then given away.
void VectorRelease::debit(std::size_t rows) const {
  if (debits_ && rows > 0) (void)debits_->all_at_once(rows);
}

namespace {

std::vector<double> release_rows(const VectorMechanism& vectors, const SomeRows& rows,
                                 const RandomSource& random, unsigned threads) {
  const std::size_t out_dim = vectors.output_dim();
  std::vector<double> out(rows.count * out_dim);
  release_blocks(vectors, rows, random, 0, threads, [&](std::size_t row, std::span<const double> released) {
    std::ranges::copy(released, out.begin() + static_cast<std::ptrdiff_t>(row * out_dim));
  });
  return out;
}

// What would read outside the arrays.
void check_sparse(const SparseArray& rows) {
  const auto entries = static_cast<std::int64_t>(rows.values.size());
  const auto is_outside = [&](std::int64_t place) {
    return place < 0 || static_cast<std::uint64_t>(place) >= rows.columns;
  };
  if (rows.starts.empty() || rows.starts.front() != 0 || rows.starts.back() != entries ||
      !std::ranges::is_sorted(rows.starts) || rows.places.size() != rows.values.size() ||
      std::ranges::any_of(rows.places, is_outside)) {
    throw Error(ErrorCode::bad_data,
                "the arrays of the sparse matrix do not fit together; make it again with scipy.sparse");
  }
}

}  // namespace

std::vector<double> VectorRelease::array(const VectorArray& rows, const Work& work) const {
  check_columns(rows.columns);
  check_finite(rows.values, rows.columns, {});
  std::vector<double> out = release_rows(*answer_.mechanism.vectors, dense_rows(rows.values, rows.columns),
                                         RandomSource::fresh_or_seeded_not_private(seed_), work.threads);
  debit(rows.values.size() / rows.columns);
  return out;
}

std::vector<double> VectorRelease::sparse_array(const SparseArray& rows, const Work& work) const {
  check_columns(rows.columns);
  check_sparse(rows);
  const RowsOf densified = [&](std::size_t begin, std::size_t end, std::vector<double>& room) {
    room.assign((end - begin) * rows.columns, 0.0);
    for (std::size_t row = begin; row < end; ++row) {
      const std::span own = std::span(room).subspan((row - begin) * rows.columns, rows.columns);
      for (auto i = static_cast<std::size_t>(rows.starts[row]);
           i < static_cast<std::size_t>(rows.starts[row + 1]); ++i) {
        own[static_cast<std::size_t>(rows.places[i])] += rows.values[i];
      }
    }
    check_finite(room, rows.columns, {.before = begin});
    return std::span<const double>(room);
  };
  const std::size_t count = rows.starts.size() - 1;
  std::vector<double> out = release_rows(*answer_.mechanism.vectors, {.count = count, .of = densified},
                                         RandomSource::fresh_or_seeded_not_private(seed_), work.threads);
  debit(count);
  return out;
}

}  // namespace sotto::api
