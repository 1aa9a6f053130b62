// A folder that somebody writes images to, as a source.

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cpu_passes_frames.hpp"
#include "files/file_list.hpp"
#include "files/files_source.hpp"
#include "preview/save.hpp"
#include "preview/session.hpp"
#include "session_source.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("seamscope-files-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  // One texel of `value`; later files get later time stamps whatever the file system's clock does.
  void put(const std::string& name, uint8_t value, size_t bytes = SIZE_MAX) {
    const auto frame = dense_frame<uint8_t>(Dtype::U8, 1, 1, 3, {value, value, value}, OutputKind::Color);
    const auto contents = file_contents(name, frame.bytes, frame.desc);
    REQUIRE(contents);
    std::ofstream(*this / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(contents->data()),
               static_cast<std::streamsize>(std::min(bytes, contents->size())));
    std::filesystem::last_write_time(*this / name, stamp_ += std::chrono::seconds(1));
  }

 private:
  std::filesystem::path path_;
  std::filesystem::file_time_type stamp_ = std::filesystem::file_time_type::clock::now();
};

ViewParams one_texel() {
  ViewParams params = pattern_view("color");
  params.width = params.height = 1;
  params.rect_w = params.rect_h = 1;
  return params;
}

// The first picture whose red is `value`; false after ten seconds.
bool shows(Session& session, WaitingSink& sink, int value) {
  for (int i = 0; i < 1000; ++i) {
    session.credit(1, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto shots = sink.shots();
    if (!shots.empty() && shots.back().bytes[0] == value) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("patterns name images of a folder or files by * and ?") {
  Folder folder;
  folder.put("frame.9.png", 1);
  const files::FilePattern all(folder / ""), some(folder / "frame.*.png");
  CHECK(some.matches("frame.10.png"));
  CHECK_FALSE(some.matches("frame.10.exr"));
  CHECK_FALSE(some.matches(".frame.1.png"));
  CHECK(all.matches("a.EXR"));
  CHECK_FALSE(all.matches("a.txt"));
  folder.put("frame.10.png", 1);
  const auto time = std::filesystem::last_write_time(folder / "frame.10.png");
  std::filesystem::last_write_time(folder / "frame.9.png", time);
  const auto newest = some.newest();
  REQUIRE(newest);
  REQUIRE(*newest);
  CHECK((*newest)->path == folder / "frame.10.png");
  CHECK_FALSE(files::FilePattern(folder / "none/x*.png").newest());
}

TEST_CASE("the newest file is shown, an unfinished one is waited for, a broken one is named") {
  Folder folder;
  folder.put("a.png", 10);
  auto source = files::open_files_source(folder / "*.png");
  REQUIRE(source);
  Session session(*std::move(source));
  const auto sink = std::make_shared<WaitingSink>();
  REQUIRE(session.open_view(1, one_texel(), sink));
  CHECK(shows(session, *sink, 10));
  folder.put("b.png", 20);
  CHECK(shows(session, *sink, 20));
  CHECK(sink->shots().back().info.problem.empty());
  folder.put("c.png", 30, 50);
  CHECK_FALSE(sink->shots().back().bytes[0] == 30);
  folder.put("c.png", 30);
  CHECK(shows(session, *sink, 30));
  // The same file again, with other contents.
  folder.put("c.png", 40);
  CHECK(shows(session, *sink, 40));
  folder.put("d.png", 50, 50);
  bool named = false;
  for (int i = 0; i < 1000 && !named; ++i) {
    session.credit(1, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    named = sink->shots().back().info.problem.rfind("d.png: The PNG file", 0) == 0;
  }
  CHECK(named);
  CHECK(sink->shots().back().bytes[0] == 40);
  CHECK(sink->failures().empty());
}

TEST_CASE(
    "a source that begins with an unfinished file shows the newest whole one, names the other, and goes on to it") {
  Folder folder;
  folder.put("a.png", 10);
  folder.put("b.png", 20);
  folder.put("c.png", 30, 50);
  folder.put("d.png", 40, 0);
  auto source = files::open_files_source(folder / "*.png", 0);
  REQUIRE(source);
  CHECK((*source)->problem() == "d.png cannot be read yet; this is b.png.");
  Session session(*std::move(source));
  const auto sink = std::make_shared<WaitingSink>();
  REQUIRE(session.open_view(1, one_texel(), sink));
  CHECK(shows(session, *sink, 20));
  CHECK(sink->shots().back().info.problem == "d.png cannot be read yet; this is b.png.");
  folder.put("d.png", 40);
  CHECK(shows(session, *sink, 40));
  CHECK(sink->shots().back().info.problem.empty());
}

TEST_CASE("a source whose only file is unfinished waits for it, and names it when it stays so") {
  Folder folder;
  folder.put("a.png", 10, 50);
  const auto broken = files::open_files_source(folder / "*.png", 0);
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.rfind("a.png: The PNG file", 0) == 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    folder.put("a.png", 10);
  });
  const auto whole = files::open_files_source(folder / "*.png", 30'000);
  writer.join();
  REQUIRE(whole);
  CHECK((*whole)->problem().empty());
}

TEST_CASE("a source of files says why it cannot begin") {
  Folder folder;
  const auto none = files::open_files_source(folder / "*.png", 0);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("No file matches") != std::string::npos);
  CHECK_FALSE(files::open_files_source(folder / "missing/*.png", 0));
  // A pipe must not hang the reader.
  REQUIRE(::mkfifo((folder / "p.png").c_str(), 0600) == 0);
  CHECK_FALSE(files::open_files_source(folder / "*.png", 0));
  CHECK_FALSE(files::read_file(folder / "p.png"));
}
