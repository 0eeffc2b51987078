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
pkg_check_modules(ISAL REQUIRED QUIET IMPORTED_TARGET libisal)
pkg_check_modules(ZSTD REQUIRED QUIET IMPORTED_TARGET libzstd)
pkg_check_modules(HWY REQUIRED QUIET IMPORTED_TARGET libhwy)
pkg_check_modules(MPFR REQUIRED QUIET IMPORTED_TARGET mpfr)
pkg_check_modules(SQLITE REQUIRED QUIET IMPORTED_TARGET sqlite3)
# BLIS has no .pc file. Debian has a folder for each kind of threads; we call it from threads of our own.
find_path(BLIS_INCLUDE_DIR cblas.h PATH_SUFFIXES blis-serial blis REQUIRED)
find_library(BLIS_LIBRARY blis REQUIRED)
if(NOT TARGET Blis::Blis)
  add_library(Blis::Blis UNKNOWN IMPORTED)
  set_target_properties(Blis::Blis PROPERTIES IMPORTED_LOCATION ${BLIS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${BLIS_INCLUDE_DIR})
endif()
# The same list for sotto.pc.
set(SOTTO_PC_REQUIRES libcrypto fmt nlohmann_json simdjson zlib libisal icu-uc libxxhash libzstd libhwy mpfr sqlite3)
set(SOTTO_PC_LIBRARIES "-lblis")
