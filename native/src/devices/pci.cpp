#include "devices/pci.hpp"

#include <cctype>

namespace seamscope {

std::string normal_pci(const std::string& text) {
  std::string address;
  for (const char c : text) address += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto colon = address.find(':');
  if (colon != std::string::npos && colon > 4 && address.compare(0, colon - 4, std::string(colon - 4, '0')) == 0)
    address.erase(0, colon - 4);
  return address;
}

}  // namespace seamscope
