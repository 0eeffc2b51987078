// Privatises the lines of standard input and writes them to standard output. The report of the release, which
// states what is promised and what is not protected, goes to standard error.
//   release MODEL.sotto EPSILON < reviews.txt > private.txt 2> report.json
#include <sotto/sotto.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: release MODEL.sotto EPSILON < TEXT > PRIVATE 2> REPORT\n";
    return 2;
  }
  try {
    const auto model = sotto::Model::open(argv[1]);
    const sotto::Setting setting = sotto::parse_setting("tem", {{"epsilon", argv[2]}});
    const auto source = sotto::open_source("-");
    const auto sink = sotto::open_sink("-", sotto::Overwrite::refuse);
    const sotto::api::ReleaseAnswer answer = sotto::api::release_stream(
        *source, *sink, {.built = sotto::build_mechanism(setting, model), .certify = true});
    if (answer.is_stopped()) {
      std::cerr << "nothing was written: nearly all words would stay as they are; use a smaller epsilon\n";
      return 1;
    }
    sink->finish();
    std::cerr << answer.report(sotto::ReportDetail::data_holder) << '\n';
  } catch (const sotto::Error& error) {
    std::cerr << "release: " << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
