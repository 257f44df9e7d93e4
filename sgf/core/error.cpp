#include "sgf/core/error.h"

#include "sgf/core/printable.h"

namespace sgf {

Error::Error(std::string_view message) : std::runtime_error(printable(message)) {}

}  // namespace sgf
