# Run by `cmake --install`: the manual page and the completion scripts, as the program itself prints them.
cmake_policy(VERSION 3.25)
function(install_printed folder name)
  execute_process(COMMAND ${SGF_PROGRAM} ${ARGN} OUTPUT_FILE ${SGF_HELP_DIR}/${name} COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${folder}" TYPE FILE FILES "${SGF_HELP_DIR}/${name}")
endfunction()

file(MAKE_DIRECTORY ${SGF_HELP_DIR})
install_printed(${SGF_MANDIR}/man1 sgf.1 help --man)
install_printed(${SGF_DATADIR}/bash-completion/completions sgf completion bash)
install_printed(${SGF_DATADIR}/zsh/site-functions _sgf completion zsh)
install_printed(${SGF_DATADIR}/fish/vendor_completions.d sgf.fish completion fish)
