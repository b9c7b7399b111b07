#include "lib/base/processes.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "lib/base/paths.hpp"

namespace cudahot::base {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_read() { close_one(read_end); }
  void close_write() { close_one(write_end); }
  ~Pipe() {
    close_read();
    close_write();
  }

 private:
  static void close_one(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

// Everything the child needs, prepared before the fork: after it only async-signal-safe calls.
struct Prepared {
  std::string program;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
};

Result<Prepared> prepare(const ProcessRequest& request) {
  if (request.arguments.empty()) return fail(ErrorCode::internal, "run_process without a program");
  Prepared prepared;
  prepared.program = request.arguments.front();
  if (prepared.program.find('/') == std::string::npos) {
    const auto found = find_program(prepared.program);
    if (!found) return fail(ErrorCode::not_found, fmt::format("program '{}' is not on PATH", prepared.program));
    prepared.program = found->string();
  }
  if (::access(prepared.program.c_str(), X_OK) != 0) {
    return fail(ErrorCode::not_found, fmt::format("cannot run '{}': {}", prepared.program, std::strerror(errno)));
  }
  auto overridden = [&](const std::string& entry) {
    for (const auto& extra : request.extra_environment) {
      if (entry.compare(0, extra.find('=') + 1, extra, 0, extra.find('=') + 1) == 0) return true;
    }
    return false;
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!overridden(*entry)) prepared.environment.emplace_back(*entry);
  }
  for (const auto& extra : request.extra_environment) prepared.environment.push_back(extra);
  for (const auto& argument : request.arguments) prepared.argv.push_back(const_cast<char*>(argument.c_str()));
  prepared.argv.push_back(nullptr);
  for (auto& entry : prepared.environment) prepared.envp.push_back(entry.data());
  prepared.envp.push_back(nullptr);
  return prepared;
}

[[noreturn]] void become_child(const Prepared& prepared, const char* folder, int input, int out, int err,
                               pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(input, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) ::_exit(127);
  if (folder != nullptr && ::chdir(folder) != 0) ::_exit(127);
  ::execve(prepared.program.c_str(), prepared.argv.data(), prepared.envp.data());
  ::_exit(127);
}

}  // namespace

Result<ProcessOutcome> run_process(const ProcessRequest& request) {
  auto prepared = prepare(request);
  if (!prepared) return fail(std::move(prepared.error()));
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) {
    return fail(ErrorCode::environment, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::string folder = request.working_directory.string();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    become_child(*prepared, folder.empty() ? nullptr : folder.c_str(), input, out.write_end, err.write_end, parent);
  }
  if (input >= 0) ::close(input);
  if (child < 0) {
    return fail(ErrorCode::environment, fmt::format("cannot start '{}': {}", prepared->program, std::strerror(errno)));
  }
  out.close_write();
  err.close_write();

  ProcessOutcome outcome;
  std::array<pollfd, 2> waiting{pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0}};
  std::array<std::string*, 2> sinks{&outcome.out, &outcome.err};
  std::array<char, 16384> buffer{};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    if (request.cancelled && !outcome.cancelled && request.cancelled()) {
      ::kill(child, SIGKILL);
      outcome.cancelled = true;
    }
    const int ready = ::poll(waiting.data(), waiting.size(), request.cancelled ? 5 : -1);
    if (ready < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      const ssize_t count = ::read(waiting[i].fd, buffer.data(), buffer.size());
      if (count > 0) sinks[i]->append(buffer.data(), static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR) waiting[i].fd = -1;
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

}  // namespace cudahot::base
