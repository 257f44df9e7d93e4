#include "sgf/serving/http/request_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::ElementsAre;

RequestHead head_with(HttpHeaders headers, const std::string& method = "GET",
                      const std::string& target = "/v1/videos") {
  headers.insert(headers.begin(), {"Host", "localhost:8080"});
  return {.method = method, .target = target, .version = 11, .headers = std::move(headers)};
}

// "403 wrong_host", or "" where the request is admitted.
std::string refusal(const RequestGuard& guard, const RequestHead& head) {
  try {
    guard.admit(head);
  } catch (const HttpError& error) {
    return std::to_string(error.status()) + " " + error.code();
  }
  return "";
}

const RequestGuard kOpen({.hosts = {"localhost", "127.0.0.1"}});
const RequestGuard kLocked({.hosts = {"localhost"}, .token = "secret-token"});

TEST(RequestGuard, AdmitsARequestOfTheServersOwnPage) {
  const Admission admission = kOpen.admit(head_with({{"Origin", "http://localhost:8080"},
                                                     {"Sec-Fetch-Site", "same-origin"},
                                                     {"Content-Type", "application/json"},
                                                     {"Content-Length", "12"}},
                                                    "POST", "/v1/videos?x=1"));
  EXPECT_EQ(admission.request.method, "POST");
  EXPECT_THAT(admission.request.path, ElementsAre("v1", "videos"));
  EXPECT_EQ(admission.request.query_value("x"), "1");
  EXPECT_EQ(admission.body_bytes, 12u);
  EXPECT_FALSE(admission.answer.has_value());
}

TEST(RequestGuard, RefusesAHostThatTheServerIsNotKnownAs) {
  const auto with_host = [](const std::string& host) {
    RequestHead head = head_with({});
    head.headers[0].second = host;
    return refusal(kOpen, head);
  };
  EXPECT_EQ(with_host("LOCALHOST:9000"), "");  // through a tunnel
  EXPECT_EQ(with_host("evil.example:8080"), "403 wrong_host");
  EXPECT_EQ(with_host("localhost.evil.example"), "403 wrong_host");
  EXPECT_EQ(with_host("localhost evil"), "400 bad_request");
  RequestHead head = head_with({});
  head.headers.clear();
  EXPECT_EQ(refusal(kOpen, head), "400 bad_request");
  head.headers = {{"Host", "localhost"}, {"host", "localhost"}};
  EXPECT_EQ(refusal(kOpen, head), "400 bad_request");
}

TEST(RequestGuard, AServerForAllIsReachedUnderAnyAddressButNotUnderAnyName) {
  const RequestGuard for_all({.hosts = {"localhost"}, .token = "", .takes_addresses = true});
  RequestHead head = head_with({});
  for (const char* host : {"192.168.1.5:8080", "[fe80::1]:8080", "localhost"}) {
    head.headers[0].second = host;
    EXPECT_EQ(refusal(for_all, head), "") << host;
  }
  for (const char* host : {"evil.example", "1.2.3.4.evil.example", "1.2.3", "1.2.3.4.5", "[1.2.3.4]", "[:::1]"}) {
    head.headers[0].second = host;
    EXPECT_EQ(refusal(for_all, head), "403 wrong_host") << host;
  }
  head.headers[0].second = "192.168.1.5:8080";
  EXPECT_EQ(refusal(kOpen, head), "403 wrong_host");
}

TEST(RequestGuard, RefusesPagesOfOtherServers) {
  EXPECT_EQ(refusal(kOpen, head_with({{"Origin", "http://evil.example"}})), "403 wrong_origin");
  EXPECT_EQ(refusal(kOpen, head_with({{"Origin", "null"}})), "403 wrong_origin");
  EXPECT_EQ(refusal(kOpen, head_with({{"Origin", "http://localhost:3000"}})), "403 wrong_origin");
  EXPECT_EQ(refusal(kOpen, head_with({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}})),
            "403 wrong_origin");
  EXPECT_EQ(refusal(kOpen, head_with({{"Sec-Fetch-Site", "same-site"}})), "403 wrong_origin");
}

TEST(RequestGuard, ALinkOnAnotherPageMayBeFollowed) {
  EXPECT_EQ(refusal(kOpen, head_with({{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}}, "GET", "/")),
            "");
}

TEST(RequestGuard, DemandsItsTokenOfAllButHealth) {
  EXPECT_EQ(refusal(kLocked, head_with({})), "401 unauthorized");
  EXPECT_EQ(refusal(kLocked, head_with({{"Authorization", "Bearer secret-token"}})), "");
  EXPECT_EQ(refusal(kLocked, head_with({{"Authorization", "Bearer secret-toke"}})), "401 unauthorized");
  EXPECT_EQ(refusal(kLocked, head_with({{"Authorization", "secret-token"}})), "401 unauthorized");
  EXPECT_EQ(refusal(kLocked, head_with({{"Cookie", "a=b; sgf_token=secret-token"}})), "");
  EXPECT_EQ(refusal(kLocked, head_with({{"Cookie", "sgf_token=secret"}})), "401 unauthorized");
  EXPECT_EQ(refusal(kLocked, head_with({}, "GET", "/health")), "");
  EXPECT_EQ(refusal(kLocked, head_with({}, "GET", "/health/x")), "401 unauthorized");
}

TEST(RequestGuard, TheRoutesDoNotSeeTheToken) {
  const Admission admission =
      kLocked.admit(head_with({{"Authorization", "Bearer secret-token"}, {"Cookie", "x"}, {"Range", "bytes=0-"}}));
  EXPECT_EQ(admission.request.header("authorization"), nullptr);
  EXPECT_EQ(admission.request.header("cookie"), nullptr);
  EXPECT_NE(admission.request.header("range"), nullptr);
}

TEST(RequestGuard, TheLinkWithTheTokenSetsACookieAndKeepsTheRestOfTheAddress) {
  const Admission admission = kLocked.admit(head_with({}, "GET", "/?token=secret-token&order=s-7"));
  ASSERT_TRUE(admission.answer.has_value());
  EXPECT_EQ(admission.answer->status, 303);
  EXPECT_THAT(admission.answer->headers,
              ElementsAre(std::pair("Location", "/?order=s-7"),
                          std::pair("Set-Cookie", "sgf_token=secret-token; Path=/; HttpOnly; SameSite=Strict")));
  EXPECT_EQ(refusal(kLocked, head_with({}, "GET", "/?token=wrong")), "401 unauthorized");
  EXPECT_EQ(refusal(kLocked, head_with({}, "GET", "/v1/videos?token=secret-token")), "401 unauthorized");
}

TEST(RequestGuard, BodiesNeedATypeThatOtherPagesCannotSend) {
  const auto with_type = [](const char* type) { return refusal(kOpen, head_with({{"Content-Type", type}}, "POST")); };
  EXPECT_EQ(with_type("application/json; charset=utf-8"), "");
  EXPECT_EQ(with_type("image/png"), "");
  EXPECT_EQ(with_type("text/plain"), "415 wrong_type");
  EXPECT_EQ(with_type("application/x-www-form-urlencoded"), "415 wrong_type");
  EXPECT_EQ(refusal(kOpen, head_with({}, "POST")), "415 wrong_type");
  EXPECT_EQ(refusal(kOpen, head_with({}, "DELETE")), "");
  EXPECT_EQ(refusal(kOpen, head_with({{"Content-Length", "2"}}, "DELETE")), "415 wrong_type");
}

TEST(RequestGuard, TheEndOfABodyIsBeyondDoubt) {
  const auto with = [](HttpHeaders headers) {
    headers.emplace_back("Content-Type", "application/json");
    return refusal(kOpen, head_with(std::move(headers), "POST"));
  };
  EXPECT_EQ(with({{"Content-Length", "5"}}), "");
  EXPECT_EQ(with({{"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}}), "400 bad_request");
  EXPECT_EQ(with({{"Content-Length", "5"}, {"Content-Length", "5"}}), "400 bad_request");
  EXPECT_EQ(with({{"Transfer-Encoding", "chunked"}}), "411 length_required");
  for (const char* length : {"", "-1", "+5", "5 5", "0x5", "99999999999999999999"})
    EXPECT_EQ(with({{"Content-Length", length}}), "400 bad_request") << length;
  EXPECT_EQ(refusal(kOpen, head_with({{"Content-Length", "5"}})), "400 bad_request");
}

TEST(RequestGuard, OnlyKnownMethodsVersionsAndExpectationsPass) {
  for (const char* method : {"OPTIONS", "TRACE", "CONNECT", "PATCH", "get", ""})
    EXPECT_EQ(refusal(kOpen, head_with({}, method)), "405 wrong_method") << method;
  RequestHead old = head_with({});
  old.version = 10;
  EXPECT_EQ(refusal(kOpen, old), "505 wrong_version");
  EXPECT_EQ(refusal(kOpen, head_with({{"Expect", "wonders"}})), "417 bad_request");
  EXPECT_TRUE(kOpen.admit(head_with({{"Expect", "100-Continue"}})).expects_continue);
  EXPECT_EQ(kOpen.admit(head_with({}, "HEAD")).request.method, "GET");
}

TEST(RequestGuard, PathTricksAreRefused) {
  for (const char* target : {"/../x", "/%2e%2e/x", "//x", "/a%00", "/a%2f..%2fb", "http://localhost/x"})
    EXPECT_EQ(refusal(kOpen, head_with({}, "GET", target)), "400 bad_address") << target;
}

}  // namespace
}  // namespace sgf
