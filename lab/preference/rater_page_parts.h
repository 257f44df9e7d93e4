// The parts of a study's page that are the same in every study: looks, structure and what answers the keys.
#pragma once

#include <string_view>

namespace sgf {

extern const std::string_view kStudyHead;    // up to and with the style
extern const std::string_view kStudyBody;    // what is seen
extern const std::string_view kStudyScript;  // after the data it reads

}  // namespace sgf
