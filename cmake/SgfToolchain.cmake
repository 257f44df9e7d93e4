# Compiler settings that every target of ours shares: C++20, warnings as errors, ccache and mold where they are.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# The work is in torch's kernels and our .cu files: -O3 here only costs build time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(SGF_CCACHE ccache)
if(SGF_CCACHE)
  # A precompiled header hides its defines and times from ccache: both are safe to ignore here.
  set(SGF_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${SGF_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SGF_LAUNCHER})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${SGF_LAUNCHER})
endif()

find_program(SGF_MOLD mold)
if(SGF_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(sgf_warnings INTERFACE)
target_compile_options(sgf_warnings INTERFACE
  # Left out: two that g++ 12 raises wrongly, on designated initialisers and on std::string's own memcpy.
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Werror;-Wno-missing-field-initializers>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow;-Wno-restrict>)
if(SGF_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(sgf_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

if(SGF_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=address,undefined)
endif()
if(SGF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # every edge counts itself, so that libFuzzer sees what an input reaches
endif()
