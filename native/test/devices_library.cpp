#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "base/dynamic_library.hpp"

using namespace seamscope;

TEST_CASE("the first library that loads is taken, and each refusal is kept") {
  const auto library = DynamicLibrary::open({"libseamscope-absent.so.1", "libm.so.6", "libpthread.so.0"});
  REQUIRE(library);
  REQUIRE(library->attempts().size() == 2);
  CHECK(library->attempts()[0].error.find("libseamscope-absent.so.1") != std::string::npos);
  CHECK(library->attempts()[1].error == "");
  CHECK(library->passed_over() == "");
  CHECK(library->path().front() == '/');
  CHECK(library->path().find("libm") != std::string::npos);
  CHECK(library->find("cos") != nullptr);
  CHECK(library->find("seamscope_absent") == nullptr);
}

TEST_CASE("no candidate loads: the error holds the linker's words for each") {
  const auto library = DynamicLibrary::open({"libseamscope-a.so", "/absent/libseamscope-b.so"});
  REQUIRE_FALSE(library);
  CHECK(library.error().message.find("libseamscope-a.so") != std::string::npos);
  CHECK(library.error().detail ==
        "libseamscope-a.so: cannot open shared object file: No such file or directory\n"
        "/absent/libseamscope-b.so: cannot open shared object file: No such file or directory");
}

TEST_CASE("a broken file that comes first is named, with the reason") {
  const std::string broken = "./seamscope-broken.so";
  std::ofstream(broken) << "no library";
  const auto library = DynamicLibrary::open({broken, "libm.so.6"});
  std::remove(broken.c_str());
  REQUIRE(library);
  CHECK(library->path().find("libm") != std::string::npos);
  CHECK(library->passed_over().find("seamscope-broken.so") != std::string::npos);
  CHECK(library->passed_over().find("libm") == std::string::npos);
}
