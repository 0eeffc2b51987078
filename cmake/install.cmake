# `cmake --install build`: the archive, its headers and a package for find_package(sotto).
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
  ${CMAKE_CURRENT_BINARY_DIR}/sottoConfigVersion.cmake DESTINATION ${package_dir})
