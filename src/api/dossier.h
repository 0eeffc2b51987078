#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/illustration.h"
#include "api/ledger.h"
#include "api/verify.h"
#include "sotto/answer.h"
#include "sotto/mechanism.h"
#include "text/verify_fields.h"

// Everything that is known about one release, joined for a data protection impact assessment.
namespace sotto::api {

struct DossierRequest {
  std::shared_ptr<const Model> model = {};
  // JSON texts. They may come from anyone: each is checked, and none is quoted in a message.
  std::string report = {};                      // of `privatize`, for the data holder or public
  std::optional<std::string> certificate = {};  // of `certify`
  std::optional<std::string> audit = {};        // of `audit`
  std::optional<std::string> attack = {};       // of `attack`
  std::vector<std::string> released = {};       // SHA-256 of files that the report should be about
  std::shared_ptr<Ledger> ledger = {};
  std::string subject = {};  // whose accounts; needed with a ledger
  std::optional<std::uint64_t> seed_not_private = {};
};

struct DossierAnswer {
  ReportJson report = {};
  std::optional<ReportJson> certificate = {};
  std::optional<ReportJson> audit = {};
  std::optional<ReportJson> attack = {};
  VerifyAnswer verified = {};  // the report, computed again
  std::shared_ptr<const Model> model = {};
  Illustration examples = {};
  std::optional<LedgerShowAnswer> ledger = {};  // the subject's accounts of this model
  std::optional<LedgerVerifyAnswer> ledger_check = {};

  // What speaks against the release, one sentence each: a claim that does not follow, a certificate or an
  // audit that refutes the claim, a ledger that was changed. Weak releases are not among them.
  [[nodiscard]] std::vector<std::string> objections() const;
  [[nodiscard]] bool holds() const { return objections().empty(); }
};

// In the stages "verifying" and "attacking". Throws Error(bad_data) if a part is not what it should be, or if
// two parts are about different models, mechanisms or parameters.
DossierAnswer make_dossier(const DossierRequest& request, const Work& work);
Json to_json(const DossierAnswer& answer);

}  // namespace sotto::api
