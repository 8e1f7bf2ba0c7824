// The header in C++: it compiles, and what it declares links.
#include "gametape.h"

#include <memory>

int main() {
  std::unique_ptr<GametapeError, decltype(&gametape_error_free)> error(gametape_error_new(), gametape_error_free);
  std::unique_ptr<GametapeSchema, decltype(&gametape_schema_free)> schema(
      gametape_schema_from_json("{\"components\":[]}", 17, error.get()), gametape_schema_free);
  GametapeSenderOptions options{};
  options.mode = GAMETAPE_MODE_STRICT;
  std::unique_ptr<GametapeSender, decltype(&gametape_sender_free)> sender(
      gametape_sender_new(schema.get(), &options, error.get()), gametape_sender_free);
  return sender == nullptr;
}
