// The publisher as C++20; the examples and the stress test compile it as C99.
#define SSC_CONNECT_NS 20000000ull  // tests connect again sooner than programs
#define SEAMSCOPE_IMPLEMENTATION
#include "../publisher/seamscope.h"
