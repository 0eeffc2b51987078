#pragma once
#include <string>

#include "sotto/mechanism.h"
#include "text/verify_fields.h"

// Answers of other commands that come back as files: each is checked before anything is taken from it.
namespace sotto::api {

// The parameter that brings an answer, its schema, and the command that writes it.
struct PartKind {
  const char* name;
  const char* schema;
  const char* writer;
};
inline constexpr PartKind kAttackPart = {"attack", "sotto.attack/1", "attack --json"};

// Throws Error(bad_data) with this message.
[[noreturn]] void refuse_part(const std::string& message);

// Throws Error(bad_data), which does not quote `text`, if it is no such answer.
ReportJson parse_part(const PartKind& kind, const std::string& text);

// Which release a part, or what it is compared with, is about.
struct PartSubject {
  std::optional<std::string> identity = {};  // of the model
  std::optional<std::string> mechanism = {};
  std::optional<ParameterTexts> parameters = {};
};
PartSubject subject_of(const ReportJson& json);
PartSubject subject_of(const Mechanism& mechanism);

// Throws Error(bad_data) if the part is about another model, mechanism or parameters than `wanted`, which the
// message calls `whose` ("the report").
void check_same(const PartKind& kind, const ReportJson& part, const PartSubject& wanted,
                const std::string& whose);

}  // namespace sotto::api
