// The page's files, which the program carries.
#pragma once

#include "sgf/serving/http/http_message.h"

#include <string>

namespace sgf {

// Throws HttpError 404 for an unknown name.
HttpResponse page_asset(const std::string& name);

}  // namespace sgf
