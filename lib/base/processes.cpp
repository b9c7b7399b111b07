#include "lib/base/processes.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "lib/base/paths.hpp"

namespace cudahot::base {
namespace {

constexpr int kCancelPollMs = 5;

// Owns a file descriptor that is none of the three standard ones: in a program that has closed
// those, a new descriptor could be one of them, and would be overwritten when they are set up.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd_ < 0 || fd_ > STDERR_FILENO) return;
    fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(fd);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
    return read_end.get() >= 0 && write_end.get() >= 0;
  }
};

// Everything the child needs, prepared before the fork: after it only async-signal-safe calls.
struct Prepared {
  std::string program;
  std::string folder;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
};

Result<std::string> locate(const std::string& program) {
  std::filesystem::path path = program;
  if (program.find('/') == std::string::npos) {
    const auto found = find_program(program);
    if (!found) return fail(ErrorCode::not_found, fmt::format("program '{}' is not on PATH", program));
    path = *found;
  }
  if (::access(path.c_str(), X_OK) != 0) {
    return fail(ErrorCode::not_found, fmt::format("cannot run '{}': {}", path.string(), std::strerror(errno)));
  }
  // Absolute, since the child may change its folder.
  std::error_code error;
  path = std::filesystem::absolute(path, error);
  if (error) return fail(ErrorCode::environment, fmt::format("cannot run '{}': {}", program, error.message()));
  return path.string();
}

bool same_variable(std::string_view entry, std::string_view other) {
  return entry.substr(0, entry.find('=')) == other.substr(0, other.find('='));
}

std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) merged.emplace_back(*entry);
  for (const auto& entry : extra) {
    std::erase_if(merged, [&](const std::string& old) { return same_variable(old, entry); });
    merged.push_back(entry);
  }
  return merged;
}

Result<Prepared> prepare(const ProcessRequest& request) {
  if (request.arguments.empty()) return fail(ErrorCode::internal, "run_process without a program");
  auto program = locate(request.arguments.front());
  if (!program) return fail(std::move(program.error()));
  Prepared prepared;
  prepared.program = std::move(*program);
  prepared.folder = request.working_directory.string();
  prepared.environment = merged_environment(request.extra_environment);
  for (const auto& argument : request.arguments) prepared.argv.push_back(const_cast<char*>(argument.c_str()));
  prepared.argv.push_back(nullptr);
  for (auto& entry : prepared.environment) prepared.envp.push_back(entry.data());
  prepared.envp.push_back(nullptr);
  return prepared;
}

// Why the child could not become the program, sent through a pipe that a successful exec closes.
struct StartFailure {
  int error = 0;
  bool in_folder = false;
};

struct ChildEnds {
  int input = -1;
  int out = -1;
  int err = -1;
  int failure = -1;
};

[[noreturn]] void become_child(const Prepared& prepared, const ChildEnds& ends, pid_t parent) {
  StartFailure failure;
  auto give_up = [&] {
    failure.error = errno;
    [[maybe_unused]] const ssize_t written = ::write(ends.failure, &failure, sizeof failure);
    ::_exit(127);
  };
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  // Its own group, so that a cancellation also reaches what it started.
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(ends.input, STDIN_FILENO) < 0 || ::dup2(ends.out, STDOUT_FILENO) < 0 ||
      ::dup2(ends.err, STDERR_FILENO) < 0) {
    give_up();
  }
  failure.in_folder = true;
  if (!prepared.folder.empty() && ::chdir(prepared.folder.c_str()) != 0) give_up();
  failure.in_folder = false;
  ::execve(prepared.program.c_str(), prepared.argv.data(), prepared.envp.data());
  give_up();
  ::_exit(127);
}

// Empty when the exec succeeded.
StartFailure read_failure(int fd) {
  StartFailure failure;
  ssize_t count = 0;
  do count = ::read(fd, &failure, sizeof failure);
  while (count < 0 && errno == EINTR);
  return count == sizeof failure ? failure : StartFailure{};
}

int wait_for(pid_t child, int options, int& status) {
  int ended = 0;
  do ended = ::waitpid(child, &status, options);
  while (ended < 0 && errno == EINTR);
  return ended;
}

class Collector {
 public:
  Collector(const ProcessRequest& request, pid_t child) : request_(request), child_(child) {}

  ProcessOutcome collect(int out, int err) {
    read_until_closed(out, err);
    finish();
    return std::move(outcome_);
  }

 private:
  void cancel_if_asked() {
    if (!request_.cancelled || outcome_.cancelled || !request_.cancelled()) return;
    outcome_.cancelled = true;
    // The group exists unless the child has not come that far yet.
    if (::kill(-child_, SIGKILL) != 0) ::kill(child_, SIGKILL);
  }

  void read_until_closed(int out, int err) {
    std::array<pollfd, 2> waiting{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
    const std::array<std::string*, 2> sinks{&outcome_.out, &outcome_.err};
    std::array<char, 16384> buffer{};
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
      cancel_if_asked();
      const int ready = ::poll(waiting.data(), waiting.size(), request_.cancelled ? kCancelPollMs : -1);
      if (ready < 0) {
        if (errno == EINTR) continue;
        return;
      }
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
        const ssize_t count = ::read(waiting[i].fd, buffer.data(), buffer.size());
        if (count > 0) sinks[i]->append(buffer.data(), static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR) waiting[i].fd = -1;
      }
    }
  }

  // A child may close its output and go on running.
  void finish() {
    int status = 0;
    int ended = 0;
    if (request_.cancelled) {
      while ((ended = wait_for(child_, WNOHANG, status)) == 0) {
        cancel_if_asked();
        ::poll(nullptr, 0, kCancelPollMs);
      }
    } else {
      ended = wait_for(child_, 0, status);
    }
    if (ended != child_) return;
    if (WIFEXITED(status) && !outcome_.cancelled) outcome_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
  }

  const ProcessRequest& request_;
  pid_t child_;
  ProcessOutcome outcome_;
};

}  // namespace

Result<ProcessOutcome> run_process(const ProcessRequest& request) {
  auto prepared = prepare(request);
  if (!prepared) return fail(std::move(prepared.error()));
  auto cannot_start = [&](int error) {
    return fail(ErrorCode::environment, fmt::format("cannot start '{}': {}", prepared->program, std::strerror(error)));
  };
  Pipe out;
  Pipe err;
  Pipe failure;
  if (!out.open() || !err.open() || !failure.open()) return cannot_start(errno);
  Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (input.get() < 0) return cannot_start(errno);

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return cannot_start(errno);
  if (child == 0) {
    become_child(*prepared, {input.get(), out.write_end.get(), err.write_end.get(), failure.write_end.get()}, parent);
  }
  input.close();
  out.write_end.close();
  err.write_end.close();
  failure.write_end.close();

  if (const StartFailure why = read_failure(failure.read_end.get()); why.error != 0) {
    int status = 0;
    wait_for(child, 0, status);
    if (!why.in_folder) return cannot_start(why.error);
    return fail(ErrorCode::environment, fmt::format("cannot start '{}' in the folder '{}': {}", prepared->program,
                                                    prepared->folder, std::strerror(why.error)));
  }
  return Collector(request, child).collect(out.read_end.get(), err.read_end.get());
}

}  // namespace cudahot::base
