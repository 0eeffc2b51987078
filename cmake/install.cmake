# `cmake --install build`: the archive, its headers, a package for find_package(sotto) and one for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(TARGETS sotto EXPORT sottoTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sotto TYPE INCLUDE)
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${package_dir})
configure_package_config_file(cmake/sottoConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sottoConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sottoConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sottoConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/sottoConfigVersion.cmake cmake/dependencies.cmake DESTINATION ${package_dir})

include(cmake/manual.cmake)

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SOTTO_PC_PREFIX /${pc_dir} /)  # the prefix, seen from the file: the installed tree can be moved
list(JOIN SOTTO_PC_REQUIRES " " SOTTO_PC_REQUIRES_TEXT)
configure_file(cmake/sotto.pc.in ${CMAKE_CURRENT_BINARY_DIR}/sotto.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sotto.pc DESTINATION ${pc_dir})
