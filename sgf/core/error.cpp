#include "sgf/core/error.h"

namespace sgf {

Error::Error(std::string_view room, std::string_view message)
    : std::runtime_error("[" + std::string(room) + "] " + std::string(message)), room_(room) {}

}  // namespace sgf
