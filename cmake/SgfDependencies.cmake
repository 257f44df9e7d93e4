# Packaged libraries, and torch as an imported target of our own: torch's find_package fails without a CUDA toolkit
# and asks for architectures where there is a toolkit but no GPU.
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
# Used from its header alone, so that there is nothing to link and nothing that programs with sgf would have to find.
find_path(SGF_XXHASH_INCLUDE xxhash.h REQUIRED)

# Header-only, because torch ships headers of a newer fmt than the system's: each file then uses the one it sees.
set(SGF_FMT_LIBRARY fmt::fmt-header-only)
if(SGF_STATIC_DEPENDENCIES)
  find_library(SGF_YAML_LIBRARY libyaml-cpp.a)
endif()
if(NOT SGF_YAML_LIBRARY)
  set(SGF_YAML_LIBRARY yaml-cpp)
endif()

# FFmpeg for video files. A binary that travels cannot carry it, and would not start where it is missing.
set(SGF_WITH_FFMPEG AUTO CACHE STRING "Video files through FFmpeg: ON, OFF, or AUTO (where it is installed)")
set_property(CACHE SGF_WITH_FFMPEG PROPERTY STRINGS AUTO ON OFF)
set(SGF_HAS_FFMPEG OFF)
if(SGF_WITH_FFMPEG STREQUAL "AUTO" AND SGF_STATIC_DEPENDENCIES)
  message(STATUS "FFmpeg left out of a binary that travels; -DSGF_WITH_FFMPEG=ON links it")
elseif(SGF_WITH_FFMPEG)
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(SGF_FFMPEG IMPORTED_TARGET libavformat>=59 libavcodec>=59 libswscale>=6 libavutil>=57)
  endif()
  set(SGF_HAS_FFMPEG ${SGF_FFMPEG_FOUND})
  if(NOT SGF_HAS_FFMPEG AND SGF_WITH_FFMPEG STREQUAL "ON")
    message(FATAL_ERROR "SGF_WITH_FFMPEG needs pkg-config and the development files of FFmpeg 5.1 or newer: "
                        "libavcodec-dev libavformat-dev libswscale-dev libavutil-dev.")
  endif()
endif()
if(SGF_HAS_FFMPEG)
  set(SGF_FFMPEG_LIBRARY PkgConfig::SGF_FFMPEG)
else()
  message(STATUS "no FFmpeg: video files cannot be read or written, PNG files can")
endif()

if(SGF_WITH_CUDA)
  set(CMAKE_CUDA_ARCHITECTURES ${SGF_CUDA_ARCHITECTURES})
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  find_package(CUDAToolkit REQUIRED)
endif()

if(SGF_WITH_TORCH)
  find_package(CLI11 REQUIRED)
  include(SgfTorch)
  # Ranks: torch carries both libraries, the headers of Gloo come from the system and those of NCCL beside torch.
  find_path(SGF_GLOO_INCLUDE gloo/rendezvous/store.h)
  if(SGF_WITH_CUDA)
    find_path(SGF_NCCL_INCLUDE nccl.h HINTS "${SGF_TORCH_DIR}/../nvidia/nccl/include")
  endif()
endif()
