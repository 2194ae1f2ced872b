# All tests of the project as ctest entries. Each has a label: unit, check, cli or sample. Further labels: "slow" for tests
# that only `make test-slow` runs, "quick" for those that only `make test` runs, "long" for those that `make quick` skips.
find_program(PYTHON python3 REQUIRED)
set(tools ${CMAKE_SOURCE_DIR}/tools)

# Time limits in seconds, for busy machines. Sanitizers need more.
set(unit_limit 300)
set(fakeclr_limit 300)
if(CLEW_SANITIZE)
  set(unit_limit 1800)
  set(fakeclr_limit 1500)
endif()

# A test is a command that runs in the source folder; tools/timed notes how long it takes.
function(clew_test name labels timeout)
  add_test(NAME ${name} COMMAND ${tools}/timed ${name} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout})
endfunction()

# Lets a test refuse memory (test/memory.h).
function(clew_memory target)
  target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/test/memory.c)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/test)
  if(CLEW_SANITIZE)
    target_compile_definitions(${target} PRIVATE MEMORY_WRAPPED)
    target_link_options(${target} PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=mmap)
  endif()
endfunction()

# Redirects a test's system calls to its own functions, __wrap_NAME: see test/unit/collector/io_test.c.
function(clew_failing_calls target)
  foreach(call ${ARGN})
    target_link_options(${target} PRIVATE -Wl,--wrap=${call})
  endforeach()
endfunction()

# Unit tests: test/unit/FOLDER/NAME_test.c, one program each, linked with src/FOLDER. NAME is the name of a file there, in any
# room, or a subject. A test that begins to include memory.h needs cmake to run again.
pkg_check_modules(CMOCKA REQUIRED cmocka)
file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/unit/*_test.c)
if(NOT CLEW_UNITS OR CLEW_SANITIZE STREQUAL "fuzzer")
  set(unit_tests "")
endif()
foreach(source ${unit_tests})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/test/unit ${source})
  string(REGEX REPLACE "^([a-z0-9]+)/.*" "\\1" folder ${path})
  string(REGEX REPLACE "[/.]" "-" name ${path})
  string(REGEX REPLACE "_test-c$" "" name ${name})
  if(folder STREQUAL "agent")
    set(library ${tested}-agent-objects)
  else()
    set(library ${tested}-${folder})
  endif()
  add_executable(test-${name} ${source})
  target_link_libraries(test-${name} PRIVATE ${library} cmocka)
  target_include_directories(test-${name} PRIVATE ${CMAKE_SOURCE_DIR}/test)
  file(STRINGS ${source} memory REGEX "^#include \"memory\\.h\"")
  if(memory)
    clew_memory(test-${name})
  endif()
  clew_test(unit-${name} unit ${unit_limit} $<TARGET_FILE:test-${name}>)
endforeach()

if(TARGET test-collector-io)
  clew_failing_calls(test-collector-io accept4 calloc close dup2 eventfd fcntl flock fopen fstat ftruncate getsockopt malloc
    memfd_create mmap open poll __poll_chk pread pthread_create pwrite read realloc recv recvmsg sendmsg setsid write)
endif()

# These tests can process every installed method, or kill more often; the -full variants do.
if(unit_tests)
  foreach(name il-roundtrip weave-calls weave-survey collector-takeover)
    set_tests_properties(unit-${name} PROPERTIES LABELS "unit;quick")
    clew_test(unit-${name}-full "unit;slow" 7200 $<TARGET_FILE:test-${name}>)
    set_tests_properties(unit-${name}-full PROPERTIES ENVIRONMENT CLEW_SLOW=1)
  endforeach()
endif()

# Writes recordings with known content, for the scripts under test/cli and for benchmarks.
if(NOT CLEW_SANITIZE STREQUAL "fuzzer")
  add_executable(make-recording ${CMAKE_SOURCE_DIR}/test/make_recording.c)
  target_include_directories(make-recording PRIVATE ${CMAKE_SOURCE_DIR}/test)
  target_link_libraries(make-recording PRIVATE clew-recording)
  add_executable(without-trees ${CMAKE_SOURCE_DIR}/test/without_trees.c)
  target_link_libraries(without-trees PRIVATE clew-recording)

  # Large recordings, for the benches `window` and `view`.
  foreach(made window large)
    add_executable(make-${made} ${CMAKE_SOURCE_DIR}/bench/${made}.c)
    target_link_libraries(make-${made} PRIVATE clew-recording)
  endforeach()
  target_sources(make-large PRIVATE ${CMAKE_SOURCE_DIR}/bench/large_code.c)
endif()

# Fuzzers: test/fuzz/<name>_fuzz.c, with interesting inputs in test/fuzz/corpus/<name>/. Built with clang they search
# (make fuzz); otherwise they replay the corpus as tests. Each links the folders that it includes.
file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/fuzz/*_fuzz.c)
foreach(source ${fuzzers})
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name ${name})
  file(STRINGS ${source} folders REGEX "^#include \"[a-z]+/")
  list(FILTER folders EXCLUDE REGEX "\"unit/")
  list(TRANSFORM folders REPLACE "^#include \"([a-z]+)/.*" "${tested}-\\1")
  list(REMOVE_DUPLICATES folders)
  if(CLEW_SANITIZE STREQUAL "fuzzer")
    add_executable(fuzz-${name} ${source})
    target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND fuzz_targets fuzz-${name})
  elseif(CLEW_UNITS)
    add_executable(fuzz-${name} ${source} ${CMAKE_SOURCE_DIR}/test/fuzz/replay.c)
    clew_test(fuzz-${name} unit ${unit_limit} $<TARGET_FILE:fuzz-${name}> ${CMAKE_SOURCE_DIR}/test/fuzz/corpus/${name})
  endif()
  if(TARGET fuzz-${name})
    target_link_libraries(fuzz-${name} PRIVATE ${folders})
    target_include_directories(fuzz-${name} PRIVATE ${CMAKE_SOURCE_DIR}/test)
    target_compile_options(fuzz-${name} PRIVATE -Wno-missing-prototypes) # no header declares LLVMFuzzerTestOneInput
  endif()
endforeach()
if(fuzz_targets)
  add_custom_target(fuzz DEPENDS ${fuzz_targets})
endif()

if(CLEW_SANITIZE)
  set(checks OFF)
else()
  set(checks ON)
endif()

# The agent without .NET: test/fakeclr/<name>_test.c runs on a stand-in for the runtime, which loads the agent with
# assertions. Under sanitizers it loads a build of the agent with them, whose allocations go to the test, so that the test
# can refuse them.
if(TARGET clew-agent AND CLEW_UNITS)
  set(fakeclr ${CMAKE_SOURCE_DIR}/test/fakeclr)
  if(CLEW_SANITIZE)
    clew_agent(fakeclr-agent clew)
    target_link_options(fakeclr-agent PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=mmap)
    set(agent fakeclr-agent)
  else()
    set(agent ${tested}-agent)
  endif()
  add_library(fakeclr OBJECT ${fakeclr}/runtime.c ${fakeclr}/session.c ${fakeclr}/woven.c)
  target_include_directories(fakeclr PRIVATE ${CMAKE_SOURCE_DIR}/test)
  target_link_libraries(fakeclr PUBLIC ${tested}-il ${tested}-ring cmocka dl)
  file(GLOB fakeclr_tests CONFIGURE_DEPENDS ${fakeclr}/*_test.c)
  foreach(source ${fakeclr_tests})
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "_test$" "" name ${name})
    add_executable(test-fakeclr-${name} ${source})
    set_target_properties(test-fakeclr-${name} PROPERTIES ENABLE_EXPORTS ON)
    target_link_libraries(test-fakeclr-${name} PRIVATE fakeclr ${tested}-collector)
    clew_memory(test-fakeclr-${name})
    add_dependencies(test-fakeclr-${name} ${agent})
    clew_test(fakeclr-${name} unit ${fakeclr_limit} $<TARGET_FILE:test-fakeclr-${name}>)
    set_tests_properties(fakeclr-${name} PROPERTIES ENVIRONMENT "FAKECLR_AGENT=$<TARGET_FILE:${agent}>")
  endforeach()
endif()

# Static checks of sources and libraries.
if(checks)
  foreach(check includes headers format source page)
    clew_test(check-${check} check 300 ${PYTHON} ${tools}/check-${check})
  endforeach()
  clew_test(check-cycles check 120 ${PYTHON} ${tools}/check-cycles ${CMAKE_BINARY_DIR})
  clew_test(check-named-tests check 60 ${PYTHON} ${tools}/check-named-tests ${CMAKE_SOURCE_DIR} doc/survival.md)
  clew_test(check-checks check 600 ${CMAKE_SOURCE_DIR}/test/tools/run) # each check must reject wrong input
endif()
if(checks AND TARGET clew-agent)
  if(NOT CLEW_ASSERTIONS) # then the agent also exports its limits (base/limit.h)
    clew_test(check-agent check 120 ${PYTHON} ${tools}/check-agent $<TARGET_FILE:clew-agent> --glibc ${CLEW_GLIBC})
  endif()
  clew_test(check-vector-registers check 120 ${PYTHON} ${tools}/check-vector-registers $<TARGET_FILE:clew-agent>
            $<TARGET_OBJECTS:clew-agent-objects>)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    clew_test(check-clang check 600 ${tools}/check-clang ${CMAKE_BINARY_DIR} ${CLEW_GLIBC})
  endif()
endif()
if(checks AND TARGET clew)
  clew_test(check-clew check 60 ${PYTHON} ${tools}/check-clew $<TARGET_FILE:clew>)
endif()
if(checks AND TARGET manual-pages)
  clew_test(check-manual check 60 ${tools}/check-manual ${CMAKE_BINARY_DIR})
endif()

# Tests of the whole product: scripts that find the build folder's clew in the environment. They use all processors, unless
# the end of this file says otherwise.
function(clew_script name script labels timeout)
  if(TARGET clew AND TARGET clew-agent AND (CLEW_UNITS OR NOT "cli" IN_LIST labels))
    clew_test(${name} "${labels}" ${timeout} ${CMAKE_SOURCE_DIR}/${script} ${ARGN})
    set_tests_properties(${name} PROPERTIES PROCESSORS 2
                         ENVIRONMENT "CLEW=$<TARGET_FILE:clew>;CLEW_BUILD=${CMAKE_BINARY_DIR}")
  endif()
endfunction()
clew_script(cli test/cli/run cli 600)
clew_script(session test/session/run cli 900)
clew_script(serve test/serve/run "cli;long" 600)
clew_script(page test/page/run "page;quick" 1800)
clew_script(page-full test/page/run "page;slow" 1800)
if(TEST page-full)
  set_property(TEST page-full APPEND PROPERTY ENVIRONMENT CLEW_SLOW=1)
endif()
# `make test` runs the quick cases of all scripts by one pool ("quick"); `make test-slow` runs each script whole instead.
clew_script(samples test/sample/all "sample;quick" 7200)
clew_script(samples-built test/sample/all "sample;quick" 1800 --build)
if(TEST samples)
  set_tests_properties(samples PROPERTIES FIXTURES_REQUIRED programs)
  set_tests_properties(samples-built PROPERTIES FIXTURES_SETUP programs COST 1000)
endif()
foreach(script run async logical web edits behaviour guest early heap faults survive overwritten jit programs values objects secrets threads unwound coverlet consistency processes features rights mine order day profiler)
  clew_script(sample-${script}-full test/sample/${script} "sample;slow" 14400 --full)
endforeach()
clew_script(export test/export/run sample 900)
# Records with every instrument, using a clew and an agent with assertions.
if(TARGET clew-tested)
  clew_script(sample-asserted test/sample/run sample 1800 --only agreement)
  set_tests_properties(sample-asserted PROPERTIES
                       ENVIRONMENT "CLEW=$<TARGET_FILE:clew-tested>;CLEW_BUILD=${CMAKE_BINARY_DIR}")
endif()
# Long recordings; `make soak` takes an hour. soak-leak records a program that leaks, which the test must notice.
if(checks)
  clew_script(soak test/soak/run "sample;slow" 1200 --seconds 300)
  clew_script(soak-leak test/soak/run "sample;slow" 600 --seconds 60 --only streams --leak)
  if(TEST soak-leak)
    set_tests_properties(soak-leak PROPERTIES WILL_FAIL ON)
  endif()
endif()
# Runs the agent with AddressSanitizer inside the runtime.
if(CLEW_SANITIZE STREQUAL "address" AND TARGET clew-agent)
  clew_agent(sanitized-agent clew)
  clew_script(sample-sanitized test/sample/sanitized "sample;sanitized" 1800 --agent $<TARGET_FILE:sanitized-agent>)
endif()
if(checks) # sanitizers need more memory than the limit
  clew_script(reading test/reading/run reading 900)
  clew_script(reading-repair test/reading/repair reading 600)
  clew_script(check-documents tools/check-documents check 600 ${CMAKE_BINARY_DIR} README.md)
  clew_script(check-install tools/check-install check 600 ${CMAKE_BINARY_DIR})
  clew_script(check-library tools/check-library check 600 ${CMAKE_BINARY_DIR})
endif()

# Replaces opcodes in a running program.
if(checks)
  add_library(test-patcher SHARED ${CMAKE_SOURCE_DIR}/test/patch/patcher.c)
  target_link_libraries(test-patcher PRIVATE clew-clr clew-il)
  clew_test(patch-running-program sample 300 ${CMAKE_SOURCE_DIR}/test/patch/run $<TARGET_FILE:test-patcher>)
endif()

# Compares recorded uses with recorded definitions (test/sample/consistency).
if(NOT CLEW_SANITIZE STREQUAL "fuzzer")
  file(GLOB consistency_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/consistency/*.c)
  add_executable(consistency ${consistency_sources})
  target_include_directories(consistency PRIVATE ${CMAKE_SOURCE_DIR}/test)
  target_link_libraries(consistency PRIVATE clew-model clew-il)
endif()

# Compares metadata and PDBs with the runtime's own readers.
if(checks)
  add_executable(test-metadata-dump test/oracle/metadata/dump.c)
  target_link_libraries(test-metadata-dump PRIVATE clew-metadata)
  add_executable(test-symbols-dump test/oracle/metadata/dump_symbols.c)
  target_link_libraries(test-symbols-dump PRIVATE clew-metadata)
  clew_test(oracle-metadata "sample;slow" 1800 ${CMAKE_SOURCE_DIR}/test/oracle/metadata/run $<TARGET_FILE:test-metadata-dump>
            $<TARGET_FILE:test-symbols-dump>)
endif()

# These tests take most of the time of the unit and command line tests, so `make quick` skips them.
foreach(name unit-collector-io unit-collector-takeover unit-collector-processes unit-weave-survey unit-recording-salvage fakeclr-faults session)
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS long)
  endif()
endforeach()

foreach(name session serve samples-built reading-repair check-documents check-install check-library)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES PROCESSORS 1)
  endif()
endforeach()
