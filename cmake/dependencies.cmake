# What the library is built with, and what a program that links it needs: the archive is static. Included by the
# top-level CMakeLists.txt and by the installed sottoConfig.cmake.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(ICU REQUIRED QUIET IMPORTED_TARGET icu-uc)
pkg_check_modules(XXHASH REQUIRED QUIET IMPORTED_TARGET libxxhash)
pkg_check_modules(ZSTD REQUIRED QUIET IMPORTED_TARGET libzstd)
pkg_check_modules(HWY REQUIRED QUIET IMPORTED_TARGET libhwy)
pkg_check_modules(MPFR REQUIRED QUIET IMPORTED_TARGET mpfr)
pkg_check_modules(OPENBLAS REQUIRED QUIET IMPORTED_TARGET openblas)
pkg_check_modules(SQLITE REQUIRED QUIET IMPORTED_TARGET sqlite3)
pkg_check_modules(LIBPQ REQUIRED QUIET IMPORTED_TARGET libpq)
# The same list for sotto.pc.
set(SOTTO_PC_REQUIRES libcrypto fmt nlohmann_json simdjson zlib icu-uc libxxhash libzstd libhwy mpfr openblas
  sqlite3 libpq)
