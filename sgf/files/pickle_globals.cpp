#include "sgf/files/pickle_globals.h"

#include <algorithm>
#include <array>

namespace sgf {
namespace {

using Names = std::string_view;

// Containers, and the functions with which torch describes a tensor.
constexpr std::array<Names, 12> kTensors{
    "collections.OrderedDict",
    "torch.Size",
    "torch.Tensor",
    "torch.device",
    "torch.nn.parameter.Parameter",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch._tensor._rebuild_from_type_v2",  // a tensor with added Python attributes
    "torch.serialization._get_layout",
};

// After "torch.", "torch.cuda." or "torch.storage.".
constexpr std::array<Names, 16> kStorages{
    "FloatStorage",    "DoubleStorage", "HalfStorage",         "BFloat16Storage",      "LongStorage",    "IntStorage",
    "ShortStorage",    "CharStorage",   "ByteStorage",         "BoolStorage",          "UntypedStorage", "TypedStorage",
    "_UntypedStorage", "_TypedStorage", "ComplexFloatStorage", "ComplexDoubleStorage",
};

// After "torch.": element types, as _rebuild_tensor_v3 and saved settings name them.
constexpr std::array<Names, 25> kDtypes{
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "half",
    "bfloat16",
    "float32",
    "float",
    "float64",
    "double",
    "long",
    "int",
    "complex64",
    "complex128",
    "float8_e8m0fnu",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
};

// Objects that training scripts store beside the weights: numpy scalars and random states, parsed arguments.
constexpr std::array<Names, 9> kBesides{
    "numpy.dtype",
    "numpy.ndarray",
    "numpy.core.multiarray.scalar",
    "numpy._core.multiarray.scalar",
    "numpy.core.multiarray._reconstruct",
    "numpy._core.multiarray._reconstruct",
    "numpy._core.numeric._frombuffer",
    "_codecs.encode",  // how protocol 2 spells bytes
    "argparse.Namespace",
};

bool holds(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool is_after(std::string_view prefix, const auto& names, std::string_view name) {
  return name.starts_with(prefix) && holds(names, name.substr(prefix.size()));
}

}  // namespace

bool is_known_global(std::string_view name) {
  return holds(kTensors, name) || holds(kBesides, name) || is_after("torch.", kStorages, name) ||
         is_after("torch.cuda.", kStorages, name) || is_after("torch.storage.", kStorages, name) ||
         is_after("torch.", kDtypes, name);
}

bool is_torchscript_global(std::string_view name) {
  return name.starts_with("__torch__.") || name.starts_with("torch.jit._pickle.");
}

}  // namespace sgf
