#include "cli/privatize/plan.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <utility>

#include "api/columns.h"
#include "core/descriptor.h"
#include "sotto/error.h"
#include "text/format.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::usage, message);
}

// Device and number of a regular file; a terminal or /dev/null may well be input and output at once.
using FileKey = std::pair<dev_t, ino_t>;

// "-" stands for the standard stream. Empty: there is no such file, or it is not a regular one.
std::optional<FileKey> key_of(const fs::path& path, int standard_stream) {
  struct stat status {};
  const int result = path == "-" ? fstat(standard_stream, &status) : stat(path.c_str(), &status);
  if (result != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileKey{status.st_dev, status.st_ino};
}

// Before either exists, by name.
bool same_name(const fs::path& first, const fs::path& second) {
  std::error_code error;
  return fs::weakly_canonical(fs::absolute(first, error), error) ==
         fs::weakly_canonical(fs::absolute(second, error), error);
}

void check_readable(const fs::path& input) {
  if (input == "-") return;
  std::error_code error;
  if (fs::is_directory(input, error)) {
    refuse(fmt::format("{} is a folder; name its files", input.string()));
  }
  if (access(input.c_str(), R_OK) != 0) {
    throw Error(ErrorCode::input_output, cannot_read(input.string(), errno));
  }
}

bool names_folder(const std::string& output) {
  std::error_code error;
  return output.ends_with('/') || fs::is_directory(output, error);
}

void check_report(const fs::path& report, const Plan& plan, const std::set<FileKey>& read) {
  if (report == "-")
    refuse(
        "--report - is not possible, because standard output is for the data; give a file, such as "
        "report.json");
  for (const api::ReleaseFile& file : plan.files) {
    if (file.output != "-" && same_name(report, file.output)) {
      refuse("--report and the output are the same file; choose another name for one of them");
    }
  }
  if (const auto key = key_of(report, STDOUT_FILENO); key && read.contains(*key)) {
    refuse("--report names an input (or the model); choose another name for it");
  }
}

void check_outputs(const PrivatizeArguments& arguments, const Plan& plan) {
  std::set<FileKey> read;
  const auto add = [&](const std::optional<FileKey>& key) {
    if (key) read.insert(*key);
  };
  for (const api::ReleaseFile& file : plan.files) add(key_of(file.input, STDIN_FILENO));
  if (!arguments.choice.model.empty()) add(key_of(arguments.choice.model, STDIN_FILENO));
  for (const api::ReleaseFile& file : plan.files) {
    const auto output = key_of(file.output, STDOUT_FILENO);
    if (output && read.contains(*output)) {
      refuse("the output is an input (or the model); choose another name for -o");
    }
  }
  std::set<std::string> reports;
  for (const std::string& report : arguments.reports) {
    check_report(report, plan, read);
    if (!reports.insert(report).second) refuse("--report names the same file twice");
  }
}

}  // namespace

Plan make_plan(const PrivatizeArguments& arguments) {
  std::vector<std::string> inputs = arguments.inputs;
  if (inputs.empty()) inputs.emplace_back("-");
  Plan plan;
  if (arguments.output != "-" && names_folder(arguments.output)) plan.folder = arguments.output;
  if (inputs.size() > 1 && !plan.folder) {
    refuse(fmt::format("{} inputs need a folder to go to: -o FOLDER/", inputs.size()));
  }
  std::set<fs::path> names;
  for (const std::string& input : inputs) {
    check_readable(input);
    api::ReleaseFile file{.input = input,
                          .output = arguments.output,
                          .format = &arguments.request.reading.format_of(input),
                          .number = plan.files.size()};
    if (plan.folder) {
      if (input == "-") refuse("standard input has no name for a file in a folder; give -o FILE");
      file.output = *plan.folder / fs::path(input).filename();
      if (!names.insert(file.output).second) {
        refuse(fmt::format("two inputs are named {}: they cannot go to one folder",
                           fs::path(input).filename().string()));
      }
    }
    plan.files.push_back(std::move(file));
  }
  check_outputs(arguments, plan);
  return plan;
}

void check_nothing_is_replaced(const PrivatizeArguments& arguments, const Plan& plan) {
  // Files in a folder are judged later, by the folder's record of its runs.
  std::error_code error;
  if (!plan.folder && !arguments.force && arguments.output != "-" &&
      fs::is_regular_file(arguments.output, error)) {
    refuse(fmt::format("{} exists; use --force to replace it, or another name", arguments.output));
  }
  for (const std::string& report : arguments.reports) {
    if (!arguments.force && fs::is_regular_file(report, error)) {
      refuse(fmt::format("{} exists; use --force to replace it, or another name", report));
    }
  }
}

void check_columns(const PrivatizeArguments& arguments, const Plan& plan) {
  // Of several inputs each is told in its turn, with what was finished before. A pipe is read once.
  std::error_code error;
  const api::ReleaseFile& file = plan.files.front();
  if (plan.files.size() > 1 || file.format->chosen_by == nullptr || !fs::is_regular_file(file.input, error))
    return;
  api::check_columns(file.input, arguments.request.reading);
}

}  // namespace sotto::cli
