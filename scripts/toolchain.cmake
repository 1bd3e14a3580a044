# Builds for another architecture or against another C library, with the compilers that
# Debian has for that.
#
#   THPFIX_TARGET   x86_64-linux-gnu, aarch64-linux-gnu or i686-linux-gnu
#   THPFIX_SYSROOT  a tree of scripts/matrix-root with the headers and libraries to build
#                   against; without it, those that come with the cross compiler
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES THPFIX_TARGET THPFIX_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX MATCH "^[^-]*" CMAKE_SYSTEM_PROCESSOR ${THPFIX_TARGET})
set(CMAKE_C_COMPILER ${THPFIX_TARGET}-gcc)
set(CMAKE_CXX_COMPILER ${THPFIX_TARGET}-g++)

# Whatever was found on this machine would be for this machine.
set(CMAKE_FIND_ROOT_PATH /usr/${THPFIX_TARGET})
set(ENV{PKG_CONFIG_LIBDIR} /usr/${THPFIX_TARGET}/lib/pkgconfig)
if(THPFIX_SYSROOT)
  set(CMAKE_SYSROOT ${THPFIX_SYSROOT})
  set(CMAKE_FIND_ROOT_PATH ${THPFIX_SYSROOT})
  set(CMAKE_LIBRARY_ARCHITECTURE ${THPFIX_TARGET})
  set(ENV{PKG_CONFIG_LIBDIR} ${THPFIX_SYSROOT}/usr/lib/${THPFIX_TARGET}/pkgconfig)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${THPFIX_SYSROOT})
endif()
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# A compiler for this machine looks for libraries beside itself before it looks in the sysroot,
# unless it is told to. Its C++ library is newer than that of the tree, and needs a newer glibc.
if(THPFIX_SYSROOT)
  set(directory ${THPFIX_SYSROOT}/usr/lib/${THPFIX_TARGET})
  foreach(kind EXE SHARED MODULE)
    string(APPEND CMAKE_${kind}_LINKER_FLAGS_INIT " -B${directory} -Wl,--as-needed")
  endforeach()
  set(CMAKE_CXX_STANDARD_LIBRARIES_INIT ${directory}/libstdc++.so.6)
  # And a cross compiler has headers of its own, of another glibc, before those of the sysroot.
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=include OUTPUT_VARIABLE own
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(includes ${THPFIX_SYSROOT}/usr/include)
  set(CMAKE_C_FLAGS_INIT
    "-nostdinc -isystem ${own} -isystem ${includes}/${THPFIX_TARGET} -isystem ${includes}")
  file(GLOB headers ${includes}/c++/* ${includes}/*/c++/*)
  if(headers)
    list(JOIN headers " -isystem " headers)
    set(CMAKE_CXX_FLAGS_INIT "-nostdinc++ -isystem ${headers} ${CMAKE_C_FLAGS_INIT}")
  endif()
endif()
