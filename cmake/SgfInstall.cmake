# `cmake --install` gives a program that finds its presets, recipes and models, and a package: find_package(sgf), link
# sgf::sgf, include sgf/sgf.h.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The program looks for share/sgf beside its own folder: sgf/files/bundled.h.
set(SGF_INSTALL_DATA ${CMAKE_INSTALL_DATADIR}/sgf)
install(TARGETS sgf sgf_torch EXPORT sgfTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The installed program finds the torch it was built with.
set_target_properties(sgf_program PROPERTIES INSTALL_RPATH "${SGF_TORCH_DIR}/lib")
install(TARGETS sgf_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/presets ${PROJECT_SOURCE_DIR}/recipes ${PROJECT_SOURCE_DIR}/models
        DESTINATION ${SGF_INSTALL_DATA})

# sgf/sgf.h and the headers that it needs, found when they are installed: the list cannot be wrong.
install(CODE "set(SGF_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")\nset(SGF_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install_public_headers.cmake)

# sgf(1), and completion where bash, zsh and fish look for it.
install(CODE "set(SGF_PROGRAM \"$<TARGET_FILE:sgf_program>\")\nset(SGF_HELP_DIR \"${PROJECT_BINARY_DIR}/help\")
set(SGF_MANDIR \"${CMAKE_INSTALL_MANDIR}\")\nset(SGF_DATADIR \"${CMAKE_INSTALL_DATADIR}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install_help.cmake)

install(EXPORT sgfTargets NAMESPACE sgf:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sgf)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sgfConfig.cmake.in ${PROJECT_BINARY_DIR}/sgfConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sgf PATH_VARS SGF_INSTALL_DATA)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sgfConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sgfConfig.cmake ${PROJECT_BINARY_DIR}/sgfConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sgf)
