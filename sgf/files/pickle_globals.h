// Which Python names a weight file may refer to. Nothing is ever called. The list is short because data behind an
// unknown name would be misread.
#pragma once

#include <string_view>

namespace sgf {

// `name` is the dotted path, "collections.OrderedDict".
bool is_known_global(std::string_view name);

// The classes and list builders that TorchScript archives use in addition.
bool is_torchscript_global(std::string_view name);

}  // namespace sgf
