# Man pages and completions, made by the program itself (packaging/manual.py), and the files of the service.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  return()
endif()
set(manual ${PROJECT_BINARY_DIR}/manual)
file(GLOB manual_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/*.py)
add_custom_command(OUTPUT ${manual}/man1/sotto.1
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/packaging/manual.py $<TARGET_FILE:sotto_cli> ${manual}
  DEPENDS sotto_cli ${manual_sources} VERBATIM)
add_custom_target(manual DEPENDS ${manual}/man1/sotto.1)
# OPTIONAL: a build of the library alone can be installed too.
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT manual OPTIONAL)
install(DIRECTORY ${manual}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT manual OPTIONAL)
install(DIRECTORY ${manual}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT manual OPTIONAL)
install(DIRECTORY ${manual}/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT manual OPTIONAL)
