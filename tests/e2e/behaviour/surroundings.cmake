# Other libraries in the process: plugins, constructors, allocators, sanitizers.
add_library(behaviour-plugin MODULE plugin_threads.c)
# Before glibc 2.34, what it does not need itself it would find in the library.
target_link_libraries(behaviour-plugin PRIVATE Threads::Threads)
behaviour(plugin_unload ARGUMENTS $<TARGET_FILE:behaviour-plugin>)

# Constructors of preloaded libraries run last to first.
add_library(behaviour-early MODULE early_threads.c)
target_link_libraries(behaviour-early PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_compile_definitions(behaviour-early PRIVATE _GNU_SOURCE)
behaviour_program(early_constructor)
set(early $<TARGET_FILE:behaviour-early>)
behaviour_test(early_constructor.alone LD_PRELOAD=${early}
  COMMAND $<TARGET_FILE:behaviour-early_constructor> first)
behaviour_test(early_constructor.first LD_PRELOAD=${library}:${early} ${acting}
  COMMAND $<TARGET_FILE:behaviour-early_constructor> first)
behaviour_test(early_constructor.second LD_PRELOAD=${early}:${library} ${acting}
  COMMAND $<TARGET_FILE:behaviour-early_constructor> second)

# Malloc replacements create threads of their own, and allocate in pthread_create.
behaviour_program(malloc_threads)
behaviour(malloc_threads GATE)
foreach(allocator jemalloc.so.2:libjemalloc2 mimalloc.so.2:libmimalloc2.0
        tcmalloc_minimal.so.4:libtcmalloc-minimal4)
  string(REPLACE ":" ";" parts ${allocator})
  list(GET parts 0 file)
  list(GET parts 1 package)
  string(REGEX REPLACE "\\..*" "" name ${file})
  find_library(BEHAVIOUR_${name} NAMES lib${file})
  thpfix_dependency("${name}" "tests: beside a malloc replacement (${package})"
    "${BEHAVIOUR_${name}}")
  foreach(program malloc_threads fork_middle many_cycles)
    if(NOT BEHAVIOUR_${name})
      behaviour_skipped(${program}.${name} "${package} was missing when this was configured")
      continue()
    endif()
    set(command $<TARGET_FILE:behaviour-${program}>)
    behaviour_test(${program}.${name}.alone LD_PRELOAD=${BEHAVIOUR_${name}} COMMAND ${command})
    behaviour_test(${program}.${name}.after LD_PRELOAD=${library}:${BEHAVIOUR_${name}} ${acting}
      THPFIX_GATE=all COMMAND ${command})
    behaviour_test(${program}.${name}.before LD_PRELOAD=${BEHAVIOUR_${name}}:${library} ${acting}
      THPFIX_GATE=all COMMAND ${command})
  endforeach()
endforeach()

include(CheckCSourceCompiles)
# The sanitizer's runtime comes first: it insists. setarch, because a thread sanitizer
# older than the kernel does not find its way about a randomised address space.
foreach(sanitizer address:asan:AddressSanitizer thread:tsan:ThreadSanitizer)
  string(REPLACE ":" ";" parts ${sanitizer})
  list(GET parts 0 kind)
  list(GET parts 1 short)
  list(GET parts 2 report)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${short}.so
    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR NOT IS_ABSOLUTE "${runtime}")
    behaviour_skipped(sanitized.${kind} "needs gcc and its shared lib${short}")
    continue()
  endif()
  # It is of the compiler, and may want a later C library than the one that is built against.
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${kind})
  check_c_source_compiles("int main(void) { return 0; }" BEHAVIOUR_LINKS_${short})
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT BEHAVIOUR_LINKS_${short})
    behaviour_skipped(sanitized.${kind} "lib${short} cannot be linked with this C library")
    continue()
  endif()
  add_executable(behaviour-sanitized-${kind} sanitized.c check.c)
  target_compile_definitions(behaviour-sanitized-${kind} PRIVATE _GNU_SOURCE)
  target_compile_options(behaviour-sanitized-${kind} PRIVATE -fsanitize=${kind} -O1)
  target_link_options(behaviour-sanitized-${kind} PRIVATE -fsanitize=${kind})
  target_link_libraries(behaviour-sanitized-${kind} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  set(command setarch -R $<TARGET_FILE:behaviour-sanitized-${kind}>)
  behaviour_test(sanitized.${kind}.alone COMMAND ${command})
  behaviour_test(sanitized.${kind}.preloaded LD_PRELOAD=${runtime}:${library} ${acting}
    COMMAND ${command})
  behaviour_test(sanitized.${kind}.finds_wrong LD_PRELOAD=${runtime}:${library} ${acting}
    COMMAND ${command} wrong)
  set_tests_properties(behaviour.sanitized.${kind}.finds_wrong PROPERTIES
    PASS_REGULAR_EXPRESSION "${report}: (heap-buffer-overflow|data race)")
endforeach()
