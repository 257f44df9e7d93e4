#include "sgf/core/error.h"

#include "sgf/core/printable.h"

namespace sgf {

Error::Error(std::string_view room, std::string_view message)
    : std::runtime_error("[" + std::string(room) + "] " + printable(message)), room_(room) {}

}  // namespace sgf
