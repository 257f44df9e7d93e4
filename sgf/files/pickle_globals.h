// Which Python names a weight file may mention. Nothing is ever called; the list is short because a name we do
// not know is data we would misread.
#pragma once

#include <string_view>

namespace sgf {

// `name` is the dotted path, "collections.OrderedDict".
bool is_known_global(std::string_view name);

// The classes and list builders that TorchScript archives mention besides.
bool is_torchscript_global(std::string_view name);

}  // namespace sgf
