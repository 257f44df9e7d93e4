# Writes the commit that is being built into a header, and touches the header only where it has changed:
#   cmake -D SOURCE=… -D HEADER=… -P SgfCommit.cmake
# Uncommitted changes of the program's sources are named by their hash, so that two such builds can be told apart.
cmake_minimum_required(VERSION 3.25)
set(commit "unknown (built without git)")
if(EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git -C "${SOURCE}" rev-parse HEAD OUTPUT_VARIABLE head RESULT_VARIABLE failed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND git -C "${SOURCE}" diff HEAD -- sgf lab apps cmake CMakeLists.txt OUTPUT_VARIABLE changes ERROR_QUIET)
  if(NOT failed)
    set(commit "${head}")
    if(changes)
      string(SHA256 hash "${changes}")
      string(SUBSTRING ${hash} 0 12 hash)
      string(APPEND commit " with changes ${hash}")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define SGF_COMMIT \"@commit@\"\n" @ONLY)
