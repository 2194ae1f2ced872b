# Every test of the project as a ctest entry. Labels: unit, check, cli, sample; on top "slow" where a test is only
# part of `make test-slow`, "quick" where only of `make test`.
find_program(PYTHON python3 REQUIRED)
set(tools ${CMAKE_SOURCE_DIR}/tools)

# Unit tests: test/unit/<path as in src>_test.c, one program each, linked with the folder of that name.
pkg_check_modules(CMOCKA REQUIRED cmocka)
file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/unit/*_test.c)
if(CLEW_SANITIZE STREQUAL "fuzzer")
  set(unit_tests "")
endif()
foreach(source ${unit_tests})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/test/unit ${source})
  string(REGEX REPLACE "^([a-z0-9]+)/.*" "\\1" folder ${path})
  string(REGEX REPLACE "[/.]" "-" name ${path})
  string(REGEX REPLACE "_test-c$" "" name ${name})
  if(folder STREQUAL "agent")
    set(library clew-agent-objects)
  else()
    set(library clew-${folder})
  endif()
  add_executable(test-${name} ${source})
  target_link_libraries(test-${name} PRIVATE ${library} cmocka)
  add_test(NAME unit-${name} COMMAND test-${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(unit-${name} PROPERTIES TIMEOUT 120 LABELS unit)
endforeach()

# Recordings with known content, for the scripts under test/cli and for measuring.
if(NOT CLEW_SANITIZE STREQUAL "fuzzer")
  add_executable(make-recording ${CMAKE_SOURCE_DIR}/test/make_recording.c)
  target_include_directories(make-recording PRIVATE ${CMAKE_SOURCE_DIR}/test)
  target_link_libraries(make-recording PRIVATE clew-recording)
endif()

# Fuzzers: test/fuzz/<name>_fuzz.c with the inputs worth keeping in test/fuzz/corpus/<name>/. Built by clang they search
# (make fuzz); built otherwise they replay the corpus, as tests. Each links the folders that it includes.
file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/fuzz/*_fuzz.c)
foreach(source ${fuzzers})
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name ${name})
  file(STRINGS ${source} folders REGEX "^#include \"[a-z]+/")
  list(TRANSFORM folders REPLACE "^#include \"([a-z]+)/.*" "clew-\\1")
  list(REMOVE_DUPLICATES folders)
  if(CLEW_SANITIZE STREQUAL "fuzzer")
    add_executable(fuzz-${name} ${source})
    target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND fuzz_targets fuzz-${name})
  else()
    add_executable(fuzz-${name} ${source} ${CMAKE_SOURCE_DIR}/test/fuzz/replay.c)
    add_test(NAME fuzz-${name} COMMAND fuzz-${name} ${CMAKE_SOURCE_DIR}/test/fuzz/corpus/${name})
    set_tests_properties(fuzz-${name} PROPERTIES TIMEOUT 120 LABELS unit)
  endif()
  target_link_libraries(fuzz-${name} PRIVATE ${folders})
  target_compile_options(fuzz-${name} PRIVATE -Wno-missing-prototypes) # LLVMFuzzerTestOneInput has no header
endforeach()
if(fuzz_targets)
  add_custom_target(fuzz DEPENDS ${fuzz_targets})
endif()

if(CLEW_SANITIZE)
  set(checks OFF)
else()
  set(checks ON)
endif()

# What the sources must be, whatever they do.
if(checks)
  foreach(check includes headers format source)
    add_test(NAME check-${check} COMMAND ${PYTHON} ${tools}/check-${check} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(check-${check} PROPERTIES TIMEOUT 300 LABELS check)
  endforeach()
  if(TARGET clew-agent)
    add_test(NAME check-agent COMMAND ${PYTHON} ${tools}/check-agent $<TARGET_FILE:clew-agent> --glibc ${CLEW_GLIBC})
    add_test(NAME check-vector-registers COMMAND ${PYTHON} ${tools}/check-vector-registers $<TARGET_FILE:clew-agent>
             $<TARGET_OBJECTS:clew-agent-objects> COMMAND_EXPAND_LISTS)
    set_tests_properties(check-agent check-vector-registers PROPERTIES TIMEOUT 120 LABELS check)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
      add_test(NAME check-clang COMMAND ${tools}/check-clang ${CMAKE_BINARY_DIR} ${CLEW_GLIBC}
               WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
      set_tests_properties(check-clang PROPERTIES TIMEOUT 600 LABELS check)
    endif()
  endif()
endif()
if(checks AND TARGET manual-pages)
  add_test(NAME check-manual COMMAND ${tools}/check-manual ${CMAKE_BINARY_DIR})
  set_tests_properties(check-manual PROPERTIES TIMEOUT 60 LABELS check)
endif()

# The product from outside: scripts that get the build folder's clew by the environment. They use all processors.
function(clew_script name script labels timeout)
  if(EXISTS ${CMAKE_SOURCE_DIR}/${script} AND TARGET clew AND TARGET clew-agent)
    add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/${script} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} PROCESSORS 2
                         ENVIRONMENT "CLEW=$<TARGET_FILE:clew>;CLEW_BUILD=${CMAKE_BINARY_DIR}")
  endif()
endfunction()
clew_script(cli test/cli/run cli 600)
clew_script(session test/session/run cli 900)
# Each has a part that `make test` runs ("quick") and a whole that `make test-slow` runs instead.
foreach(script run behaviour faults jit)
  string(REPLACE run exact name ${script})
  clew_script(sample-${name} test/sample/${script} "sample;quick" 1800)
  clew_script(sample-${name}-full test/sample/${script} "sample;slow" 14400 --full)
endforeach()
clew_script(sample-namespace test/sample/namespace sample 300)
if(checks)
  clew_script(check-documents tools/check-documents check 300 ${CMAKE_BINARY_DIR} README.md)
  clew_script(check-install tools/check-install check 300 ${CMAKE_BINARY_DIR})
endif()

# The checks themselves: each is shown something wrong.
if(checks)
  add_test(NAME check-checks COMMAND ${CMAKE_SOURCE_DIR}/test/tools/run)
  set_tests_properties(check-checks PROPERTIES TIMEOUT 120 LABELS check)
endif()

# Opcodes replaced in a running program.
if(checks)
  file(GLOB patcher_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/clr/*.c ${CMAKE_SOURCE_DIR}/src/base/*.c
       ${CMAKE_SOURCE_DIR}/src/metadata/*.c ${CMAKE_SOURCE_DIR}/src/il/*.c)
  add_library(test-patcher SHARED ${CMAKE_SOURCE_DIR}/test/patch/patcher.c ${patcher_sources})
  target_include_directories(test-patcher PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(test-patcher PRIVATE ZLIB::ZLIB)
  add_test(NAME patch-running-program COMMAND ${CMAKE_SOURCE_DIR}/test/patch/run $<TARGET_FILE:test-patcher>)
  set_tests_properties(patch-running-program PROPERTIES TIMEOUT 300 LABELS sample)
endif()

# Metadata as another reader sees it.
if(checks)
  add_executable(test-metadata-dump test/oracle/metadata/dump.c)
  target_link_libraries(test-metadata-dump PRIVATE clew-metadata)
  add_test(NAME oracle-metadata COMMAND ${CMAKE_SOURCE_DIR}/test/oracle/metadata/run $<TARGET_FILE:test-metadata-dump>)
  set_tests_properties(oracle-metadata PROPERTIES TIMEOUT 600 LABELS "sample;slow")
endif()
