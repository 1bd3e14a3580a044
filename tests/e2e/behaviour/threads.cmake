# Programs that make threads, and what they may expect of them.
behaviour(alternate_stacks LEGACY)
behaviour(attr_transparency)
behaviour(bypass LEGACY)
behaviour(c11_threads)
behaviour(callers_stack LEGACY)
behaviour(cancel GATE LEGACY)
behaviour(cancel_pending GATE)
behaviour(detached LEGACY)
behaviour(errors)
behaviour(fork_middle GATE LEGACY)
behaviour(generations)
behaviour(large_tls)
behaviour(limit_address_space)
behaviour(limit_locked)
behaviour(limit_processes GATE)
behaviour(live_bounds LEGACY)
behaviour(madvise_transparency)
behaviour(many_cycles GATE LEGACY)
behaviour(nested GATE)
behaviour(no_size)
behaviour(old_symbol_version)
behaviour(overflow)
behaviour(retry)
behaviour(seccomp_madvise LEGACY)
behaviour(seccomp_usual LEGACY)
behaviour(shared_attr GATE)
behaviour(signal_at_start LEGACY)
behaviour(sizes_mixed LEGACY)
behaviour(smallest_stack)
behaviour(stack_cache LEGACY)
behaviour(thread_exit)
behaviour(thread_state)

behaviour_test(callers_stack.user_stacks LD_PRELOAD=${library} ${acting} THPFIX_USER_STACKS=1
  EXPECT_USER_STACKS=1 COMMAND $<TARGET_FILE:behaviour-callers_stack>)
behaviour_legacy(large_tls EXPECT_RELEASED=1 $<TARGET_FILE:behaviour-large_tls>)
behaviour_legacy(callers_stack.user_stacks THPFIX_USER_STACKS=1 EXPECT_USER_STACKS=1
  $<TARGET_FILE:behaviour-callers_stack>)
behaviour_test(live_bounds.guard_64k LD_PRELOAD=${library} ${acting} THPFIX_GUARD=64K
  EXPECT_GUARD_BYTES=65536 COMMAND $<TARGET_FILE:behaviour-live_bounds>)

# With populating on, the answers are the same; and so they are for threads.
foreach(when now background)
  behaviour_test(madvise_transparency.heap_${when} LD_PRELOAD=${library} ${acting}
    THPFIX_PRETOUCH_HEAP=${when} THPFIX_PRETOUCH_MIN=4K
    COMMAND $<TARGET_FILE:behaviour-madvise_transparency>)
endforeach()
foreach(program live_bounds smallest_stack stack_cache callers_stack)
  behaviour_test(${program}.pretouch LD_PRELOAD=${library} ${acting} THPFIX_PRETOUCH_STACK=256K
    COMMAND $<TARGET_FILE:behaviour-${program}>)
endforeach()

behaviour_program(inert)
behaviour_test(inert.alone COMMAND $<TARGET_FILE:behaviour-inert>)
foreach(mode off auto)
  behaviour_test(inert.${mode} LD_PRELOAD=${library} THPFIX=${mode} EXPECT_LIBRARY=inert
    COMMAND $<TARGET_FILE:behaviour-inert>)
endforeach()

pkg_check_modules(LIBUNWIND libunwind)
thpfix_dependency("libunwind" "tests: backtraces by one more unwinder (libunwind-dev)"
  "${LIBUNWIND_FOUND}")
if(LIBUNWIND_FOUND)
  behaviour_program(backtrace)
  target_include_directories(behaviour-backtrace PRIVATE ${LIBUNWIND_INCLUDE_DIRS})
  target_link_libraries(behaviour-backtrace PRIVATE ${LIBUNWIND_LINK_LIBRARIES})
  behaviour(backtrace LEGACY)
  behaviour_test(backtrace.pretouch LD_PRELOAD=${library} ${acting} THPFIX_PRETOUCH_STACK=256K
    COMMAND $<TARGET_FILE:behaviour-backtrace>)
else()
  behaviour_skipped(backtrace.preloaded "libunwind-dev was missing when this was configured")
endif()

enable_language(CXX)
behaviour_program(exceptions exceptions.cc)
# The warnings of the project that C++ has, too.
set_target_properties(behaviour-exceptions PROPERTIES CXX_STANDARD 17
  COMPILE_OPTIONS "-Wall;-Wextra;-Wshadow;-Wpointer-arith;-Wundef;-Wvla;-Wcast-qual")
behaviour(exceptions LEGACY)
