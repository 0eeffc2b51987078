// Writes pages and a drawing into the folder given, for check_sample.py.
#include <fstream>

#include "html/drawing.h"
#include "html/sample.h"

int main(int count, char** words) {
  if (count != 2) return 2;
  using namespace sotto::html;
  const std::string folder = words[1];
  std::ofstream(folder + "/tame.html") << test::sample_page("word").html();
  std::ofstream(folder + "/hostile.html") << test::sample_page(test::kHostile).html();
  std::ofstream(folder + "/hostile.svg") << svg(test::sample_frontier(test::kHostile));
  return 0;
}
