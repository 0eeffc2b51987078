#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/certificate.h"
#include "sotto/forecast.h"
#include "text/verify.h"
#include "text/verify_fields.h"

namespace sotto {

// What the checks of both kinds of report share: the report, the model, and the list of judgements.
class ReportChecks {
 public:
  ReportChecks(const ReportJson& report, std::shared_ptr<const Model> model, const Work& work,
               const std::vector<std::string>& released)
      : report_(report), model_(std::move(model)), work_(work), released_(released) {}
  virtual ~ReportChecks() = default;
  ReportChecks(const ReportChecks&) = delete;
  ReportChecks& operator=(const ReportChecks&) = delete;

  // In order; stops where what follows would have no meaning. Without the schema.
  VerifyResult run();

 protected:
  void ok(std::string name, std::string reason);
  void wrong(std::string name, std::string reason);
  void skip(std::string name, std::string reason);
  // ok(name, good) or wrong(name, bad).
  struct Reasons {
    std::string good;
    std::string bad;
  };
  void judge(bool holds, std::string name, Reasons reasons);

  // Whether the rest can be judged against this model.
  virtual bool check_model() = 0;
  // Builds the mechanism; empty: wrong or not possible, and said so.
  virtual std::optional<Mechanism> rebuild(const MechanismInfo& info, const ParameterTexts& texts) = 0;
  virtual void check_rest(const Mechanism& mechanism) = 0;

  bool check_identity();
  // `reasons`: how many there are for this release to promise nothing.
  void check_claim(const Mechanism& mechanism, std::size_t reasons);
  enum class FactNames { as_they_are, underscored };
  void check_facts(const Mechanism& mechanism, FactNames names);
  // Empty: it says neither of the two texts that Sotto writes.
  std::optional<bool> check_randomness();
  // The share of unchanged tokens and the strength, against the forecast made again. Empty: none is defined.
  void check_strength(const std::optional<Forecast>& expected, Released released);

  const ReportJson& report_;
  std::shared_ptr<const Model> model_;
  const Work& work_;
  const std::vector<std::string>& released_;

 private:
  void check_version();
  void check_released();
  std::optional<Mechanism> check_mechanism();
  void check_text(const char* name, std::string_view expected);

  VerifyResult result_;
};

VerifyResult check_vector_report(const ReportJson& report, const std::shared_ptr<const Model>& model,
                                 const Work& work, const std::vector<std::string>& released);

}  // namespace sotto
