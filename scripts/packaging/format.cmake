# Read by cpack for each format before it packs.
set(CPACK_PACKAGE_FILE_NAME
  "${CPACK_PACKAGE_NAME}-${CPACK_PACKAGE_VERSION}-${CPACK_SYSTEM_NAME}")
if(CPACK_GENERATOR STREQUAL TGZ)
  # To be unpacked anywhere: bin/thpfix finds the library by its own place.
  set(CPACK_PACKAGING_INSTALL_PREFIX "/")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
endif()
# Here, because the release may have been given to cpack.
set(CPACK_DEBIAN_SITES_PACKAGE_DEPENDS
  "thpfix (= ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_RPM_SITES_PACKAGE_REQUIRES
  "thpfix = ${CPACK_PACKAGE_VERSION}-${CPACK_RPM_PACKAGE_RELEASE}")
