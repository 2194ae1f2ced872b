# Generates man pages and bash completion from the table of verbs, at build time.
find_program(SCDOC scdoc)
if(TARGET clew AND SCDOC AND NOT CLEW_SANITIZE)
  add_executable(manual tools/manual.c)
  target_link_libraries(manual PRIVATE clew-cli)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/manual.stamp
                     COMMAND ${CMAKE_SOURCE_DIR}/tools/make-manual $<TARGET_FILE:manual> ${CMAKE_BINARY_DIR}
                     COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/manual.stamp
                     DEPENDS manual tools/make-manual doc/clew.3.scd VERBATIM)
  add_custom_target(manual-pages ALL DEPENDS ${CMAKE_BINARY_DIR}/manual.stamp)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(FILES ${CMAKE_BINARY_DIR}/man/clew.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
  install(FILES ${CMAKE_BINARY_DIR}/completion/clew DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
