# Imported target `sgf::torch` for the torch named by SGF_TORCH_DIR. Also used by the installed package.
if(NOT SGF_TORCH_DIR AND DEFINED ENV{SGF_TORCH})
  set(SGF_TORCH_DIR "$ENV{SGF_TORCH}")
endif()
if(NOT EXISTS "${SGF_TORCH_DIR}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "sgf needs torch 2.11 or newer: set SGF_TORCH_DIR to a pip-installed torch package "
                      "(the folder that holds lib/libtorch_cpu.so) or an unpacked libtorch; it is '${SGF_TORCH_DIR}'.")
endif()

function(sgf_check_torch_version)
  file(STRINGS "${SGF_TORCH_DIR}/include/torch/headeronly/version.h" lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR) ")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" version "${lines}")
  if(version VERSION_LESS 2.11)
    message(FATAL_ERROR "sgf needs torch 2.11 or newer, ${SGF_TORCH_DIR} holds '${version}'.")
  endif()
  message(STATUS "torch ${version} at ${SGF_TORCH_DIR}")
endfunction()
sgf_check_torch_version()

# The pip package was built with the new libstdc++ ABI, as every libtorch since 2.6.
add_library(sgf_torch INTERFACE)
add_library(sgf::torch ALIAS sgf_torch)
target_include_directories(sgf_torch SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${SGF_TORCH_DIR}/include>"
  "$<BUILD_INTERFACE:${SGF_TORCH_DIR}/include/torch/csrc/api/include>")
set(SGF_TORCH_LIBRARIES "${SGF_TORCH_DIR}/lib/libtorch_cpu.so" "${SGF_TORCH_DIR}/lib/libc10.so")
if(SGF_WITH_CUDA)
  list(APPEND SGF_TORCH_LIBRARIES -Wl,--no-as-needed "${SGF_TORCH_DIR}/lib/libtorch_cuda.so"
       "${SGF_TORCH_DIR}/lib/libc10_cuda.so" "${SGF_TORCH_DIR}/lib/libtorch.so" -Wl,--as-needed)
endif()
# libtorch finds its own NVIDIA libraries at run time; the linker need not.
target_link_libraries(sgf_torch INTERFACE "$<BUILD_INTERFACE:${SGF_TORCH_LIBRARIES}>"
                                          "$<BUILD_INTERFACE:-Wl,--allow-shlib-undefined>")
