# `cmake --install` gives a package: find_package(sgf) and link sgf::sgf.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS sgf sgf_torch EXPORT sgfTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The installed program finds the torch it was built with.
set_target_properties(sgf_program PROPERTIES INSTALL_RPATH "${SGF_TORCH_DIR}/lib")
install(TARGETS sgf_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sgf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/presets DESTINATION ${CMAKE_INSTALL_DATADIR}/sgf)
install(EXPORT sgfTargets NAMESPACE sgf:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sgf)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sgfConfig.cmake.in ${PROJECT_BINARY_DIR}/sgfConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sgf)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sgfConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sgfConfig.cmake ${PROJECT_BINARY_DIR}/sgfConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sgf)
