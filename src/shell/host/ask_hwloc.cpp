// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <fcntl.h>
#include <hwloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "base/text.hpp"
#include "shell/host/cpus.hpp"
#include "shell/host/file_handle.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define TENON_HOST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_HOST_SANITIZED
#endif
#endif

namespace tenon::host {
namespace {

constexpr std::size_t kReportBytesMax = 16U << 20U;
constexpr auto kWait = std::chrono::seconds{60};

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// "0-3,8"; "-" for the empty set.
std::string list(hwloc_const_bitmap_t set) {
  if (set == nullptr || hwloc_bitmap_iszero(set) != 0) return "-";
  char* raw = nullptr;
  if (hwloc_bitmap_list_asprintf(&raw, set) < 0) return "-";
  const std::unique_ptr<char, Free> owned{raw};
  return owned.get();
}

std::string describe_objects(hwloc_topology_t topology, hwloc_obj_type_t type,
                             std::string (*line)(hwloc_topology_t, hwloc_obj_t)) {
  std::string lines;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    lines += line(topology, object);
  }
  return lines;
}

std::string numa_line(hwloc_topology_t topology, hwloc_obj_t numa) {
  const bool allowed =
      hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology), numa->os_index) != 0;
  return text::cat("numa ", numa->os_index, " ", numa->attr->numanode.local_memory,
                   allowed ? " allowed " : " forbidden ", list(numa->cpuset), "\n");
}

std::string package_line(hwloc_topology_t /*topology*/, hwloc_obj_t package) {
  return text::cat("package ", package->os_index, " ", list(package->cpuset), "\n");
}

std::string core_line(hwloc_topology_t /*topology*/, hwloc_obj_t core) {
  return text::cat("core ", list(core->cpuset), "\n");
}

std::string report_of(hwloc_topology_t topology) {
  std::string report;
  const hwloc_obj_t machine = hwloc_get_root_obj(topology);
  if (const char* arch = hwloc_obj_get_info_by_name(machine, "Architecture")) {
    report += text::cat("arch ", arch, "\n");
  }
  const auto allowed = hwloc_topology_get_allowed_cpuset(topology);
  const hwloc_bitmap_t usable = hwloc_bitmap_alloc();
  const hwloc_bitmap_t forbidden = hwloc_bitmap_alloc();
  if (usable == nullptr || forbidden == nullptr) return {};
  hwloc_bitmap_and(usable, machine->cpuset, allowed);
  hwloc_bitmap_andnot(forbidden, machine->cpuset, allowed);
  report += text::cat("pus ", list(usable), "\nnot-allowed ", list(forbidden), "\n");
  report += describe_objects(topology, HWLOC_OBJ_NUMANODE, numa_line);
  report += describe_objects(topology, HWLOC_OBJ_PACKAGE, package_line);
  report += describe_objects(topology, HWLOC_OBJ_CORE, core_line);
  return report;
}

bool discover(hwloc_topology_t topology, bool this_machine, std::string& report) {
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Without groups, memory beside a part of a socket would be shown beside all of it.
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(topology) != 0) return false;
  // The last guard against a root that hwloc did not take: it would speak of this machine.
  if ((hwloc_topology_is_thissystem(topology) != 0) != this_machine) return false;
  report = report_of(topology);
  return true;
}

// What no tree of one machine needs, and a hostile one must not take from this one.
void limit_child() {
  const rlimit cpu_seconds{.rlim_cur = 10, .rlim_max = 10};
  setrlimit(RLIMIT_CPU, &cpu_seconds);
  const rlimit core{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &core);
#if !defined(TENON_HOST_SANITIZED)  // its shadow memory alone is more
  const rlimit bytes{.rlim_cur = 2UL << 30U, .rlim_max = 2UL << 30U};
  setrlimit(RLIMIT_AS, &bytes);
#endif
}

[[noreturn]] void child(const std::string& root, int out) {
  limit_child();
  // Where the caller has closed its standard files, the pipe may have got their numbers.
  out = fcntl(out, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  // Nothing of the user's environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC …) decides what is read.
  clearenv();
  const bool this_machine = root == "/";
  if (!this_machine) setenv("HWLOC_FSROOT", root.c_str(), 1);
  setenv("HWLOC_COMPONENTS", "linux,stop", 1);
  setenv("HWLOC_HIDE_ERRORS", "2", 1);
  setenv("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES", "0", 1);

  std::string report;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0 || !discover(topology, this_machine, report)) _exit(1);
  for (std::size_t sent = 0; sent < report.size();) {
    const auto wrote = write(out, report.data() + sent, report.size() - sent);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) _exit(1);
    sent += static_cast<std::size_t>(wrote);
  }
  _exit(0);
}

// All that the child says until it closes its end, at most for kWait. False: too much, or too late.
bool receive(int in, std::string& report) {
  const auto end = std::chrono::steady_clock::now() + kWait;
  std::array<char, 65536> block{};
  while (report.size() <= kReportBytesMax) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{.fd = in, .events = POLLIN, .revents = 0};
    const int events = poll(&ready, 1, static_cast<int>(left.count()));
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) return false;
    const auto got = read(in, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return true;
    report.append(block.data(), static_cast<std::size_t>(got));
  }
  return false;
}

std::unexpected<Error> failed(std::string what) {
  return std::unexpected(Error{ErrorKind::kIo, "", std::move(what), {}});
}

}  // namespace

Result<std::string> ask_hwloc(const std::string& root) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return failed(text::cat("cannot make a pipe: ", describe(errno)));
  }
  const FileHandle in{ends[0]};
  FileHandle out{ends[1]};
  const pid_t pid = fork();
  if (pid < 0) return failed(text::cat("cannot start a process: ", describe(errno)));
  if (pid == 0) child(root, out.get());
  out.reset();

  std::string report;
  const bool whole = receive(in.get(), report);
  if (!whole) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (whole && WIFEXITED(status) && WEXITSTATUS(status) == 0) return report;
  std::string what = "hwloc cannot read its CPUs";
  if (!whole) {
    what += ": it took too long or said too much";
  } else if (WIFSIGNALED(status)) {
    what += text::cat(": stopped by signal ", WTERMSIG(status));
  }
  return std::unexpected(
      Error{ErrorKind::kBadInput, "", std::move(what),
            "is it a whole tree of one machine? (lstopo -i shows what it says)"});
}

}  // namespace tenon::host
