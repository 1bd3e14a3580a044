# Each test sees what it is there to see: a library that does one thing wrong is caught,
# and by the check that is meant to catch it.
add_library(behaviour-bad_shim MODULE bad_shim.c)
target_compile_definitions(behaviour-bad_shim PRIVATE _GNU_SOURCE)
target_link_libraries(behaviour-bad_shim PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

# caught(WRONG PROGRAM CHECK): CHECK is a regular expression for the check that fails.
function(caught wrong program check)
  set(name ${program}.catches.${wrong})
  behaviour_test(${name} LD_PRELOAD=$<TARGET_FILE:behaviour-bad_shim> BAD_SHIM=${wrong}
    COMMAND $<TARGET_FILE:behaviour-${program}>)
  set_tests_properties(behaviour.${name} PROPERTIES
    PASS_REGULAR_EXPRESSION "check failed: ${check}")
endfunction()

caught(attr attr_transparency "memcmp\\(&before, &attr")
caught(attr shared_attr "memcmp\\(&before, &shared")
caught(callers-stack callers_stack "\\*byte is 0, expected 165")
caught(cancellation-point cancel_pending "made is 0, expected 2")
caught(creep attr_transparency "(set is 22|got is )")
caught(creep inert "direct_size is ")
caught(descriptor leaves_nothing "count_entries\\(\"/proc/self/fd\"\\) is 5")
caught(early-cancel cancel "entered - entered_before")
caught(environment leaves_nothing "strcmp\\(\\*entry, text\\)|\\*entry != NULL")
caught(errno attr_transparency "errno is 22, expected 12345")
caught(error errors "result is 12, expected 11")
caught(handler leaves_nothing "signals\\(\"SigCgt\"\\)")
caught(leak many_cycles "memory_resident_bytes")
caught(madvise-errno madvise_transparency "with.error is 22, expected 12345")
caught(mask thread_state "memcmp\\(&state.signals")
caught(no-guard live_bounds "stack.guard_bytes >= expected->guard_bytes")
caught(no-retry limit_address_space "with is 0, expected 1")
caught(no-retry limit_locked "with is 0, expected 1")
caught(no-retry retry "create\\(2 .* is 11, expected 0")
caught(print closed_streams "length is ")
caught(shrink live_bounds "stack.size_bytes >= expected->size_bytes")
caught(thread leaves_nothing "count_entries\\(\"/proc/self/task\"\\) is 2")
caught(thread-errno thread_state "state.error is 12")
if(TARGET behaviour-backtrace)
  caught(frame backtrace "with->depth is ")
endif()
# A program that expects the library and does not have it.
behaviour_test(check.catches.absence EXPECT_LIBRARY=1
  COMMAND $<TARGET_FILE:behaviour-thread_state>)
set_tests_properties(behaviour.check.catches.absence PROPERTIES
  PASS_REGULAR_EXPRESSION "check failed: counters != NULL")

# The library as such: each thing that must not be in it is seen.
add_library(behaviour-bad_artefact MODULE bad_artefact.c)
target_compile_options(behaviour-bad_artefact PRIVATE -fstack-protector-all)
target_link_options(behaviour-bad_artefact PRIVATE -Wl,-z,execstack -Wl,-z,lazy -Wl,-rpath,/nowhere)
set(facts "export FUNC guarded_by_a_canary" "import getrandom@GLIBC_2.25"
  "beyond-glibc-2.17 GLIBC_2.25" "tls-segment yes" "stack-flags RWE" "rpath yes" "bind-now no"
  "unwanted __stack_chk_fail")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  list(APPEND facts "import memcpy@GLIBC_2.14") # the library does without by memmove
endif()
foreach(fact ${facts})
  string(REGEX MATCH "^(import )?[^ @]*" name ${fact})
  string(REPLACE " " "." name ${name})
  behaviour_test(artefact.catches.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/artefact
    $<TARGET_FILE:behaviour-bad_artefact> ${CMAKE_CURRENT_SOURCE_DIR}/artefact.expected)
  set_tests_properties(behaviour.artefact.catches.${name} PROPERTIES
    PASS_REGULAR_EXPRESSION "\n> ${fact}")
endforeach()
