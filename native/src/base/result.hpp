#pragma once
// Result<T>: a value, or an error that names the cause and the next step. Nothing in native/ throws across a module
// boundary.

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace seamscope {

struct Error {
  std::string message;    // the cause, with the actual values, one sentence
  std::string next_step;  // what the user can do
  std::string detail;     // the driver's own words or number; may be empty
  bool damaged = false;   // a library is there, but it is no good: `message` names the file and what it lacks
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}  // NOLINT(google-explicit-constructor): `return value;` is the point
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace seamscope
