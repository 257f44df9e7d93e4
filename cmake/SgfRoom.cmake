# A room of the library lists its sources: PLAIN ones need no torch, so they compile fast and run under sanitizers
# and fuzzers; TORCH and CUDA ones need it; LEFT_OUT ones are not in this build. Names are without ".cpp" (CUDA: ".cu").
# ASSETS are files of its assets/ folder, which the library carries.
#
# SGF_ROOM_TARGET names the library; its plain sources are compiled in the object library ${SGF_ROOM_TARGET}_plain.
option(SGF_COMPILE_BY_ROOM "Compile the sources of a room together; off: one by one, as clang-tidy reads them" ON)

# Torch headers cost several seconds per translation unit, whatever is in it: a room's sources are compiled together.
function(sgf_compile_together target group)
  if(NOT SGF_COMPILE_BY_ROOM)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${target}_${group}")
endfunction()

function(sgf_add_sources target)
  file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${room}/${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" group)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    if(source MATCHES "\\.cu$")  # kernels are compiled one by one
      set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${source} TARGET_DIRECTORY ${target}
                                  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    else()
      sgf_compile_together(${target} ${group} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    endif()
  endforeach()
endfunction()

function(sgf_room)
  cmake_parse_arguments(PARSE_ARGV 0 ROOM "" "" "PLAIN;TORCH;CUDA;ASSETS;LEFT_OUT")
  file(GLOB_RECURSE unlisted CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp *.cu assets/*)
  list(TRANSFORM ROOM_PLAIN APPEND .cpp)
  list(TRANSFORM ROOM_TORCH APPEND .cpp)
  list(TRANSFORM ROOM_CUDA APPEND .cu)
  list(TRANSFORM ROOM_ASSETS PREPEND assets/)
  list(REMOVE_ITEM unlisted ${ROOM_PLAIN} ${ROOM_TORCH} ${ROOM_CUDA} ${ROOM_ASSETS} ${ROOM_LEFT_OUT})
  if(unlisted)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt does not list ${unlisted}")
  endif()
  sgf_add_sources(${SGF_ROOM_TARGET}_plain ${ROOM_PLAIN})
  if(ROOM_ASSETS)
    sgf_embed_assets(${SGF_ROOM_TARGET}_plain ${ROOM_ASSETS})
  endif()
  if(SGF_WITH_TORCH)
    sgf_add_sources(${SGF_ROOM_TARGET} ${ROOM_TORCH} ${ROOM_CUDA})
  endif()
endfunction()
