# Which torch the build uses: the project's own in a virtual environment, or the user's.
# shellcheck shell=bash

TORCH_VERSION=2.11.0
# libtorch_cpu needs only two of the CUDA packages: 1.3 GB instead of 4.7 GB.
CPU_WHEELS=(--no-deps "torch==$TORCH_VERSION" nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
CUDA_WHEELS=("torch==$TORCH_VERSION")
# CMake 3.25 does not know C++20 for nvcc 13.
CMAKE_WHEELS=('cmake>=3.28,<5')
# The CUDA compiler, if the machine has none of that major version.
NVCC_MAJOR=13
NVCC_WHEELS=('cuda-toolkit[nvcc,crt,nvvm,cccl,cudart]==13.0.2')

venv_dir() { if [[ $FLAVOUR == cuda ]]; then echo "$ROOT/.venv-cuda"; else echo "$ROOT/.venv"; fi; }

needs_venv() { [[ -z $NAMED_TORCH || $FLAVOUR == cuda ]]; }

# The wheels for this choice, one per line; --no-deps comes first if the list is complete.
list_wheels() {
  if [[ $FLAVOUR == cpu ]]; then
    printf '%s\n' "${CPU_WHEELS[@]}"
    return
  fi
  [[ -n $NAMED_TORCH ]] || printf '%s\n' "${CUDA_WHEELS[@]}"
  printf '%s\n' "${CMAKE_WHEELS[@]}"
  [[ -n $(machine_nvcc) ]] || printf '%s\n' "${NVCC_WHEELS[@]}"
}

site_packages() { compgen -G "$(venv_dir)/lib/python3*/site-packages" | head -n 1; }

torch_dir() { if [[ -n $NAMED_TORCH ]]; then echo "$NAMED_TORCH"; else echo "$(site_packages)/torch"; fi; }

# The path of an installed nvcc that fits torch's CUDA; empty if there is none.
machine_nvcc() {
  local nvcc
  for nvcc in "${CUDACXX-}" "$(command -v nvcc)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
    if [[ -x $nvcc ]] && "$nvcc" --version | grep -q "release $NVCC_MAJOR\."; then
      echo "$nvcc"
      return
    fi
  done
}

nvcc_path() {
  local nvcc
  nvcc=$(machine_nvcc)
  echo "${nvcc:-$(site_packages)/nvidia/cu$NVCC_MAJOR/bin/nvcc}"
}

has_gpu() { [[ -e /dev/nvidia0 ]] || nvidia-smi -L &>/dev/null; }

# The architecture of this machine's GPU, as CMake spells it; empty without a GPU.
gpu_architecture() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '.') || true
  case "$capability" in
    90) echo 90a ;; # our kernels use instructions of this architecture only
    [0-9]*) echo "$capability" ;;
  esac
}

torch_version_of() {
  local header=$1/include/torch/headeronly/version.h
  [[ -f $header ]] || header=$1/include/torch/csrc/api/include/torch/version.h
  awk '$2 ~ /^TORCH_VERSION_(MAJOR|MINOR|PATCH)$/ {printf "%s%s", dot, $3; dot = "."}' "$header" 2>/dev/null
}

# find_torch DIR: the libtorch that DIR is or holds (a package folder, a site-packages or a virtual environment).
find_torch() {
  local dir
  for dir in "$1" "$1/torch" "$1/libtorch" "$1"/lib/python3*/site-packages/torch; do
    if [[ -f $dir/lib/libtorch_cpu.so && -d $dir/include ]]; then
      readlink -f -- "$dir"
      return
    fi
  done
  die 2 "no torch at '$1': expected include/ and lib/libtorch_cpu.so there or in its folder torch/"
}

check_torch_version() {
  local version
  version=$(torch_version_of "$1")
  [[ -n $version ]] || die 2 "cannot read the version of the torch at '$1'; version $TORCH_VERSION or newer is needed"
  [[ $(printf '%s\n' "$TORCH_VERSION" "$version" | sort -V | head -n 1) == "$TORCH_VERSION" ]] ||
    die 2 "the torch at '$1' has version $version; version $TORCH_VERSION or newer is needed"
}

# The python for the virtual environment: Debian's, if installed, because python3-venv belongs to it.
find_python() {
  local python=/usr/bin/python3
  [[ -x $python ]] || python=$(command -v python3) || die 3 "python3 is missing"
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    die 3 "$python cannot create virtual environments; install its venv module (Debian: python3-venv)"
  echo "$python"
}

# Fills the virtual environment. After an interrupted installation it is created again.
fill_venv() {
  local venv mark python wheels
  venv=$(venv_dir) mark=$venv/.incomplete
  python=$(find_python)
  mapfile -t wheels < <(list_wheels)
  if [[ -e $mark ]] || ! "$venv/bin/python" -m pip --version &>/dev/null; then rm -rf -- "$venv"; fi
  mkdir -p "$venv"
  touch "$mark"
  [[ -x $venv/bin/python ]] || "$python" -m venv "$venv" >&2 || die 1 "could not create $venv"
  if ! "$venv/bin/python" -m pip install --no-input --disable-pip-version-check "${wheels[@]}" </dev/null >&2; then
    rm -f -- "$mark"
    die 1 "pip could not install torch; use an installed torch with ./run setup --torch DIR"
  fi
  link_cudart
  rm -f -- "$mark"
}

# The wheel's nvcc expects its libraries in lib64, and the linker expects libcudart without a version.
link_cudart() {
  local toolkit
  toolkit=$(site_packages)/nvidia/cu$NVCC_MAJOR
  [[ -x $toolkit/bin/nvcc ]] || return 0
  ln -sfn lib "$toolkit/lib64"
  ln -sfn "libcudart.so.$NVCC_MAJOR" "$toolkit/lib/libcudart.so"
}
