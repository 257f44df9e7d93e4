#include "sgf/serving/page_assets.h"

#include <map>
#include <string_view>

namespace sgf {

namespace assets {
std::string_view serving_file(std::string_view name);
}

HttpResponse page_asset(const std::string& name) {
  static const std::map<std::string, std::string> types{{".html", "text/html; charset=utf-8"},
                                                        {".css", "text/css; charset=utf-8"},
                                                        {".js", "text/javascript; charset=utf-8"},
                                                        {".json", "application/json"}};
  const std::string_view content = assets::serving_file(name);
  const auto type = types.find(name.substr(std::min(name.rfind('.'), name.size())));
  if (content.empty() || type == types.end()) throw HttpError(404, "not_found", "the page has no such part");
  HttpResponse response = text_response(200, type->second, std::string(content));
  response.headers.emplace_back("Cache-Control", "no-cache");
  return response;
}

}  // namespace sgf
