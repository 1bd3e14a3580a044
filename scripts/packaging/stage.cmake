# Run by cpack between installing and packing: what one format wants and others do not.
if(CPACK_GENERATOR STREQUAL TGZ)
  return()
endif()

function(compress)
  execute_process(COMMAND gzip -9n -f ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB manuals ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man*/*.[0-9])
if(manuals)
  compress(${manuals})
endif()
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()

# CPack's own way of finding out (CPACK_DEBIAN_PACKAGE_SHLIBDEPS) adds a postrm, for which dpkg
# would keep a removed package in its lists.
function(depend component upper)
  file(GLOB files RELATIVE ${CPACK_TEMPORARY_DIRECTORY}
    ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/bin/*
    ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/lib/*/*.so)
  file(WRITE ${CPACK_TEMPORARY_DIRECTORY}/debian/control "Source: thpfix\n")
  execute_process(COMMAND dpkg-shlibdeps -O ${files}
    WORKING_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}
    OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${CPACK_TEMPORARY_DIRECTORY}/debian)
  string(REPLACE "shlibs:Depends=" "" depends "${depends}")
  if(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
    string(PREPEND depends "${CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS}, ")
  endif()
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
endfunction()

# Debian's own files, from those of the source.
file(READ ${CPACK_THPFIX_PACKAGING_DIR}/../../LICENSE license)
string(REGEX REPLACE "^MIT License\n\n(Copyright[^\n]*)\n\n(.*)\n$" "\\2" license "${license}")
set(holder "${CMAKE_MATCH_1}")
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "(^|\n)([^\n])" "\\1 \\2" license "${license}")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(doc ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/lintian/overrides)
  file(WRITE ${doc}/copyright
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
    "Upstream-Name: thpfix\n\n"
    "Files: *\n${holder}\nLicense: Expat\n\n"
    "License: Expat\n${license}\n")
  file(WRITE ${doc}/changelog.Debian
    "thpfix (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * Built by scripts/package; what changed is in changelog.gz.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(COPY_FILE ${CPACK_THPFIX_PACKAGING_DIR}/../../CHANGELOG.md ${doc}/changelog)
  file(REMOVE ${doc}/CHANGELOG.md ${doc}/LICENSE)
  compress(${doc}/changelog.Debian ${doc}/changelog)
  file(COPY_FILE ${CPACK_THPFIX_PACKAGING_DIR}/debian/lintian-overrides
    ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/lintian/overrides/${package})
  depend(${component} ${upper})
endforeach()
