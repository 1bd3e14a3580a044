# Installs a library that programs have loaded: the new file takes the old one's place by a
# rename. Written into, the old one would change under the feet of those programs.
function(thpfix_install_library target component)
  set(aside ${CMAKE_INSTALL_LIBDIR}/${target}.new)
  install(TARGETS ${target}
    LIBRARY DESTINATION ${aside} COMPONENT ${component}
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  install(CODE "
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE OUTPUT_VARIABLE prefix)
    set(aside \"${aside}\")
    cmake_path(ABSOLUTE_PATH aside BASE_DIRECTORY \"\${prefix}\")
    cmake_path(GET aside PARENT_PATH libdir)
    file(RENAME \"\$ENV{DESTDIR}\${aside}/lib${target}.so\"
      \"\$ENV{DESTDIR}\${libdir}/lib${target}.so\")
    file(REMOVE_RECURSE \"\$ENV{DESTDIR}\${aside}\")
    list(TRANSFORM CMAKE_INSTALL_MANIFEST_FILES REPLACE \"/${target}\\\\.new/\" \"/\")"
    COMPONENT ${component})
endfunction()
