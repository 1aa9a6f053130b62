// Where the hub listens, and who may come in.

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "hub_fixture.hpp"
#include "interop/fd_table.hpp"

using namespace seamscope;
using namespace seamscope::test;
using namespace seamscope::frames;

namespace {

struct TemporaryFolder {
  TemporaryFolder() {
    char name[] = "/tmp/seamscope-hub-XXXXXX";
    path = mkdtemp(name);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

std::string refusal(const std::string& folder) {
  const auto checked = check_folder(folder);
  return checked ? "" : checked.error().message;
}

}  // namespace

TEST_CASE("only the own user may publish") {
  CHECK(may_publish({1, 1000, 1000}, 1000));
  CHECK_FALSE(may_publish({1, 1001, 1000}, 1000));
  CHECK_FALSE(may_publish({1, 0, 0}, 1000));
}

TEST_CASE("the folder must be the user's own and closed to others") {
  const TemporaryFolder temporary;
  CHECK(refusal(temporary.path).empty());
  chmod(temporary.path.c_str(), 0755);
  CHECK(refusal(temporary.path).find("0700") != std::string::npos);
  chmod(temporary.path.c_str(), 0700);

  const std::string made = temporary.path + "/made", link = temporary.path + "/link", file = temporary.path + "/file";
  CHECK(refusal(made).empty());
  struct stat status {};
  REQUIRE(lstat(made.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0700);
  REQUIRE(symlink(made.c_str(), link.c_str()) == 0);
  CHECK(refusal(link).find("no folder") != std::string::npos);
  fclose(fopen(file.c_str(), "w"));
  CHECK(refusal(file).find("no folder") != std::string::npos);
  CHECK_FALSE(refusal(temporary.path + "/not/there").empty());
}

TEST_CASE("the default folder follows XDG_RUNTIME_DIR") {
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  const std::string kept = before ? before : "";
  setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  CHECK(default_folder() == "/run/user/7/seamscope");
  unsetenv("XDG_RUNTIME_DIR");
  CHECK(default_folder() == "/tmp/seamscope-" + std::to_string(geteuid()));
  if (before) setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
}

TEST_CASE("a path that no socket can have is refused with its length") {
  const TemporaryFolder temporary;
  const auto hub = Hub::open({temporary.path, std::string(120, 'n'), 0});
  REQUIRE_FALSE(hub);
  CHECK(hub.error().message.find("107") != std::string::npos);
}

TEST_CASE("a name that somebody listens at is left alone, a dead one is taken") {
  const TemporaryFolder temporary;
  auto first = Hub::open({temporary.path, "name", 0});
  REQUIRE(first);
  CHECK_FALSE(Hub::open({temporary.path, "name", 0}));
  auto other = Hub::open({temporary.path, "other", 0});
  CHECK(other);
  CHECK(std::filesystem::exists((*first)->path()));
  const std::string path = (*first)->path();
  first->reset();
  CHECK_FALSE(std::filesystem::exists(path));

  // What a killed engine leaves behind: a file that nobody listens at.
  {
    auto left = SocketFile::listen(temporary.path, "dead");
    REQUIRE(left);
    REQUIRE(rename(left->path().c_str(), (temporary.path + "/name.sock").c_str()) == 0);
  }
  CHECK(std::filesystem::exists(path));
  CHECK(Hub::open({temporary.path, "name", 0}));
}

TEST_CASE("files of dead hubs are removed when a hub starts") {
  const TemporaryFolder temporary;
  {
    auto left = SocketFile::listen(temporary.path, "dead");
    REQUIRE(left);
    REQUIRE(rename(left->path().c_str(), (temporary.path + "/moved.sock").c_str()) == 0);
  }
  const auto hub = Hub::open({temporary.path, "name", 0});
  REQUIRE(hub);
  CHECK_FALSE(std::filesystem::exists(temporary.path + "/moved.sock"));
  CHECK(std::filesystem::exists((*hub)->path()));
}

TEST_CASE("a hub that closes hangs up, and its source keeps the last frame") {
  HubFixture fixture;
  Watched watched(fixture);
  REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte{5}));
  REQUIRE(watched.newest());
  fixture.hub.reset();
  CHECK_FALSE(watched.publisher.answer());
  CHECK(watched.newest()->number() == 1);
}

TEST_CASE("no more than 32 publishers") {
  const HubFixture fixture;
  std::vector<std::unique_ptr<TestPublisher>> publishers;
  for (uint32_t i = 0; i < kMaxPublishers; ++i) {
    publishers.push_back(std::make_unique<TestPublisher>(fixture.hub->path()));
    REQUIRE(publishers.back()->hello("p" + std::to_string(i)));
    REQUIRE(publishers.back()->answered(SEAMSCOPE_WELCOME));
  }
  TestPublisher more(fixture.hub->path());
  const auto answer = more.answer();
  REQUIRE(answer);
  CHECK(answer->header.type == SEAMSCOPE_REFUSED);
  CHECK(answer->code == SEAMSCOPE_REFUSED_FULL);
  publishers.pop_back();
  CHECK(eventually([&] {
    TestPublisher next(fixture.hub->path());
    return next.hello("next") && next.answered(SEAMSCOPE_WELCOME);
  }));
}

TEST_CASE("200 publishers that come and go leave no descriptor") {
  const HubFixture fixture;
  const auto once = [&] {
    Watched watched(fixture);
    watched.publisher.publish(rgba(8, 4), std::byte{1});
    watched.newest();
  };
  const auto all_gone = [&] { return fixture.hub->list().empty(); };
  once();
  REQUIRE(eventually(all_gone));
  const size_t before = interop::open_fd_count();
  for (int i = 0; i < 200; ++i) {
    once();
    REQUIRE(eventually(all_gone));
  }
  CHECK(interop::open_fd_count() == before);
}

TEST_CASE("without descriptors callers are turned away, and the hub goes on when there are some again") {
  const HubFixture fixture;
  Watched watched(fixture);
  TestPublisher late("/nowhere"), later("/nowhere");  // sockets that are there before the descriptors run out
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{std::min<rlim_t>(before.rlim_cur, 1024), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  std::vector<UniqueFd> taken;
  for (;;) {
    const int fd = dup(0);
    if (fd < 0) break;
    taken.emplace_back(fd);
  }
  CHECK(late.dial(fixture.hub->path()));
  CHECK_FALSE(late.answer());  // hung up
  REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte{1}));
  CHECK(watched.newest()->number() == 1);
  taken.clear();
  setrlimit(RLIMIT_NOFILE, &before);
  REQUIRE(later.dial(fixture.hub->path()));
  REQUIRE(later.hello("later"));
  CHECK(later.answered(SEAMSCOPE_WELCOME));
}
