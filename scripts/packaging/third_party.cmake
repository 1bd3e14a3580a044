# The licences of what the portable command holds, and what they want to be said.
set(third_party ${CMAKE_INSTALL_DOCDIR}/third-party)
pkg_check_modules(ZLIB zlib)
pkg_check_modules(LIBLZMA liblzma)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/third-party.txt.in third-party.txt @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/third-party.txt
  DESTINATION ${third_party} RENAME README)
# As Debian has them; elsewhere whoever packs has to add them.
foreach(package libelf-dev libdw-dev zlib1g-dev liblzma-dev libbz2-dev)
  install(FILES ${THPFIX_SYSROOT}/usr/share/doc/${package}/copyright
    DESTINATION ${third_party} RENAME ${package}.copyright OPTIONAL)
endforeach()
foreach(licence GPL-3 LGPL-3)
  install(FILES /usr/share/common-licenses/${licence} DESTINATION ${third_party} OPTIONAL)
endforeach()
