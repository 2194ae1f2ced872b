# libclew: the reading side as a library for other programs, shared and static. There is no promise of compatibility yet
# between minor versions, so the minor version is in the SONAME.
if(CLEW_SANITIZE)
  return() # a program that links it would need the sanitizer's run-time library
endif()
set(library_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
file(GLOB library_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/clew/*.h)

# Archives of other libraries are linked in; clew's own folders are found by need from the functions that are exported.
add_library(libclew SHARED ${CMAKE_SOURCE_DIR}/src/library/exports.map)
set_target_properties(libclew PROPERTIES OUTPUT_NAME clew VERSION ${PROJECT_VERSION} SOVERSION ${library_version}
                      LINKER_LANGUAGE C LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/library/exports.map)
target_link_libraries(libclew PRIVATE -Wl,--whole-archive clew-library -Wl,--no-whole-archive clew-model)
target_link_options(libclew PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/library/exports.map -Wl,-z,defs -Wl,-z,now
                    -Wl,-z,relro -Wl,--as-needed
                    -Wl,-u,clew_error_sentence) # it is in base, and nothing here calls it

# The archive has one object, in which all other symbols of clew are local: a program's own functions may have the same
# names. Other libraries are not in it (see clew.pc).
set(library_folders library model recording metadata trace base)
list(TRANSFORM library_folders REPLACE "(.+)" "$<TARGET_FILE:clew-\\1>" OUTPUT_VARIABLE library_archives)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/libclew.a
                   COMMAND ${CMAKE_LINKER} -r -u clew_error_sentence -o ${CMAKE_BINARY_DIR}/libclew.o
                           --whole-archive $<TARGET_FILE:clew-library>
                           --no-whole-archive --start-group ${library_archives} --end-group
                   COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${CMAKE_BINARY_DIR}/libclew.o
                   COMMAND ${CMAKE_COMMAND} -E rm -f ${CMAKE_BINARY_DIR}/libclew.a
                   COMMAND ${CMAKE_AR} rcs ${CMAKE_BINARY_DIR}/libclew.a ${CMAKE_BINARY_DIR}/libclew.o
                   DEPENDS clew-library clew-model clew-recording clew-metadata clew-trace clew-base VERBATIM)
add_custom_target(libclew-static ALL DEPENDS ${CMAKE_BINARY_DIR}/libclew.a)

file(RELATIVE_PATH library_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/src/library/clew.pc.in ${CMAKE_BINARY_DIR}/clew.pc @ONLY)
install(TARGETS libclew)
install(FILES ${CMAKE_BINARY_DIR}/libclew.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_BINARY_DIR}/clew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${library_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/clew)
