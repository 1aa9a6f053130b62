// Runner of the native tests: doctest's own command line, see --help.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
