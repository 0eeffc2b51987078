// Privatises one sentence, and says what that promises: whisper MODEL.sotto "The soup was cold."
#include <sotto/sotto.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: whisper MODEL.sotto SENTENCE\n";
    return 2;
  }
  try {
    const sotto::Privatizer privatizer(sotto::Model::open(argv[1]), "tem", {{"epsilon", "3"}});
    std::cout << privatizer.privatize(argv[2]) << '\n';
    std::cerr << privatizer.mechanism().claim.guarantee << '\n';
  } catch (const sotto::Error& error) {
    std::cerr << "whisper: " << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
