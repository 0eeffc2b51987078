// Privatises one sentence: whisper MODEL.sotto "The soup was cold."
#include <sotto/error.h>
#include <sotto/mechanism.h>
#include <sotto/model.h>
#include <sotto/privatizer.h>
#include <sotto/rng.h>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: whisper MODEL.sotto SENTENCE\n";
    return 2;
  }
  try {
    const auto model = sotto::Model::open(argv[1]);
    const sotto::Privatizer privatizer(sotto::build_uncertified("tem", model, {{"epsilon", "3"}}), {});

    const std::vector<std::string_view> documents{argv[2]};
    std::vector<std::string> private_documents;
    sotto::TextCounts counts;
    sotto::Rng rng = sotto::Rng::fresh();
    privatizer.privatize(documents, rng, private_documents, counts);

    std::cout << private_documents.front() << '\n';
    std::cerr << privatizer.mechanism().claim.guarantee << '\n';
  } catch (const sotto::Error& error) {
    std::cerr << "whisper: " << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
