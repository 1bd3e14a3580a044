# The library's variables, the process it leaves behind, and the artefact itself.
behaviour(leaves_nothing)
behaviour(bare_process)
behaviour(closed_streams)
behaviour_test(bare_process.auto LD_PRELOAD=${library} THPFIX=auto EXPECT_LIBRARY=loaded
  COMMAND $<TARGET_FILE:behaviour-bare_process>)
behaviour_test(leaves_nothing.log LD_PRELOAD=${library} ${acting} THPFIX_LOG=stderr
  COMMAND $<TARGET_FILE:behaviour-leaves_nothing>)
behaviour_test(closed_streams.log LD_PRELOAD=${library} ${acting} THPFIX_LOG=stderr
  COMMAND $<TARGET_FILE:behaviour-closed_streams>)
behaviour_test(closed_streams.complaint LD_PRELOAD=${library} ${acting} THPFIX_GUARD=nonsense
  COMMAND $<TARGET_FILE:behaviour-closed_streams>)

# Drivers run the probe with the library, and look at what comes out.
behaviour_program(probe)
add_library(behaviour-drivers STATIC probe_run.c)
target_link_libraries(behaviour-drivers PUBLIC behaviour-support thpfix-core)
function(behaviour_driver name)
  behaviour_program(${name})
  target_link_libraries(behaviour-${name} PRIVATE behaviour-drivers)
  behaviour_test(${name} COMMAND $<TARGET_FILE:behaviour-${name}> ${library} ${ARGN})
endfunction()
set(probe $<TARGET_FILE:behaviour-probe>)

behaviour_driver(env_bad_values ${probe})
behaviour_driver(env_inherit ${probe} $<TARGET_FILE:behaviour-plugin>)
behaviour_driver(env_log ${probe})
behaviour_driver(env_selection ${probe})
behaviour_driver(without_proc ${probe})

behaviour_program(probe_linked probe.c)
target_link_options(behaviour-probe_linked PRIVATE -Wl,--no-as-needed)
target_link_libraries(behaviour-probe_linked PRIVATE thpfix)
behaviour_driver(secure_exec $<TARGET_FILE:behaviour-probe_linked>)

behaviour_test(artefact COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/artefact ${library}
  ${CMAKE_CURRENT_SOURCE_DIR}/artefact.expected)
