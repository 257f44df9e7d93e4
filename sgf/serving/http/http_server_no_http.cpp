#include "sgf/serving/http/http_server.h"

namespace sgf {

class HttpServer::Impl {};

HttpServer::HttpServer(const HttpServerSettings&, HttpApp&) {
  fail("this build cannot serve HTTP; install libboost-dev and build again");
}
HttpServer::~HttpServer() = default;

// Never called: the constructor throws.
int64_t HttpServer::port() const { return 0; }
HttpCounts HttpServer::counts() const { return {}; }
void HttpServer::wake() {}
void HttpServer::stop() {}

bool can_serve() { return false; }
std::string http_component() { return "no HTTP server"; }

}  // namespace sgf
