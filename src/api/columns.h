#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sotto/answer.h"
#include "sotto/reading.h"

// Which columns or fields does a file have?
namespace sotto::api {

// Only the first record is read. For the data holder: the first row of a table is shown as it is, and it is
// data if the table has no header.
struct ColumnsRequest {
  std::filesystem::path input;
  ReadingTexts reading = {};  // the format and how to read it; no columns or fields
};
struct ColumnsAnswer {
  std::string format;
  std::vector<std::string> names;  // the cells of the first row; of JSON lines the fields that hold text
};
// Throws Error(usage) if the format has no columns, bad_data if there is no record.
ColumnsAnswer list_columns(const ColumnsRequest& request);
Json to_json(const ColumnsAnswer& answer);

// Throws what reading the file would throw for its first record: a column that is not there, a first row that
// looks like data. Does nothing for an empty file.
void check_columns(const std::filesystem::path& input, const ReadingOptions& reading);

}  // namespace sotto::api
