# Packaged libraries, and torch as an imported target of our own: torch's find_package fails without a CUDA toolkit
# and asks for architectures where there is a toolkit but no GPU.
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)

# Header-only, because torch ships headers of a newer fmt than the system's: each file then uses the one it sees.
set(SGF_FMT_LIBRARY fmt::fmt-header-only)
if(SGF_STATIC_DEPENDENCIES)
  find_library(SGF_YAML_LIBRARY libyaml-cpp.a)
endif()
if(NOT SGF_YAML_LIBRARY)
  set(SGF_YAML_LIBRARY yaml-cpp)
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
