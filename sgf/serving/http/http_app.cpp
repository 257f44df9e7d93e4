#include "sgf/serving/http/http_app.h"

#include "sgf/core/in_quotes.h"

#include <new>

namespace sgf {

size_t HttpApp::body_limit(const HttpRequest&, const HttpLimits& limits) { return limits.body_bytes; }

HttpResponse answer_of(HttpApp& app, const HttpRequest& request, const Log& log) {
  try {
    HttpResponse response = app.handle(request);
    response_head(response, /*keep_alive=*/true);  // throws if it cannot be sent
    return response;
  } catch (const HttpError& error) {
    return error_response(error);
  } catch (const Error& error) {
    return error_response({400, "bad_request", error.what()});
  } catch (const std::bad_alloc&) {
    return error_response({503, "out_of_memory", "there is not enough memory for this request"});
  } catch (const std::exception& error) {
    if (log) log(fmt::format("{} failed: {}", in_quotes(request.name()), in_quotes(error.what())));
    return error_response({500, "internal", "the server made a mistake; its log says more"});
  }
}

Piece next_piece_of(BodySource& source, size_t most, const Log& log) {
  try {
    return source.next(most);
  } catch (const std::exception& error) {
    if (log) log(fmt::format("a response was cut: {}", in_quotes(error.what())));
    return Piece::failed();
  }
}

}  // namespace sgf
