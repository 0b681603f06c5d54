// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/commands.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "render/text_style.hpp"

namespace tenon::cli {
namespace {

using std::string_view;
using Given = Flag::Given;

constexpr std::array<string_view, 8> kFormats{"auto", "dra", "host",  "hwloc",
                                              "nccl", "smi", "sysfs", "tenon"};
constexpr std::array<string_view, 6> kForms{"csv", "json", "name", "table", "wide", "yaml"};
constexpr std::array<string_view, 7> kFormsAndSvg{"csv",   "json", "name", "svg",
                                                  "table", "wide", "yaml"};
constexpr std::array<string_view, 3> kColors{"always", "auto", "never"};

constexpr Flag kFormat{.name = "format",
                       .value = "FORMAT",
                       .help = "what the input is; auto goes by content",
                       .choices = kFormats,
                       .fallback = "auto"};
constexpr Flag kOutput{.name = "output",
                       .letter = 'o',
                       .value = "FORM",
                       .help = "how the answer is written",
                       .choices = kForms,
                       .fallback = "table"};
constexpr Flag kOutputAndSvg{.name = "output",
                             .letter = 'o',
                             .value = "FORM",
                             .help = "how the answer is written; svg is a picture",
                             .choices = kFormsAndSvg,
                             .fallback = "table"};

constexpr Flag kNode{.name = "node",
                     .value = "NAME",
                     .help = "only this machine; may be given several times",
                     .given = Given::kRepeated};

constexpr std::array kCommon{
    Flag{.name = "ascii", .help = "draw with ASCII characters only"},
    Flag{.name = "color",
         .value = "WHEN",
         .help = "colour the text; auto means on a terminal, unless NO_COLOR is set",
         .choices = kColors,
         .fallback = "auto"},
    Flag{.name = "help", .letter = 'h', .help = "show the help of this command"},
};

constexpr std::array kConvertFlags{kFormat, kNode};
constexpr std::array kOutputOnly{kOutput};
constexpr std::array kRead{kFormat, kNode, kOutput};
constexpr std::array kReadAndDraw{kFormat, kNode, kOutputAndSvg};
constexpr std::array kPlaceFlags{
    Flag{.name = "cluster",
         .value = "FILE",
         .help = "the machines; may be given several times; - is the standard input",
         .given = Given::kRepeated},
    Flag{.name = "explain", .help = "say why: the answer of each node, pairs and cost levels"},
    Flag{.name = "fix",
         .help = "on a refusal, look for the smallest change that would make it fit",
         .fallback = "yes",
         .given = Given::kNegatable},
    kFormat,
    Flag{
        .name = "name", .value = "NAME", .help = "what to call the request", .fallback = "request"},
    kOutput,
    Flag{.name = "request",
         .value = "CLAUSES",
         .help = "what is asked: \"gpu=2 nic=2 pair<=PIX cores=16\"",
         .given = Given::kRequired},
    Flag{.name = "steps-max",
         .value = "N",
         .help = "the most work on one node, counted in steps of the search",
         .fallback = "2000000"},
};

constexpr string_view kInputs =
    "FILE is what another tool printed, or Tenon's own notation; which one is seen from its "
    "content.\n"
    "  -             the standard input, 64 MiB at most\n"
    "  a directory   a captured tree that holds sys/ (and proc/)\n"
    "  *.tar.gz      the same as an archive (.tar, .tgz, .tar.xz, .tar.bz2 too)\n"
    "  host          the machine this runs on (a file of that name is ./host)\n"
    "Several ResourceSlice files are joined, node by node.";

constexpr string_view kConvertHelp =
    "The machines go to the standard output. What the notation does not carry over, or its reader "
    "left\n"
    "out, is said on the standard error, and the exit code is 1. Holders that contradict each "
    "other are\n"
    "refused. FILE is as for 'tenon topo show'.";

constexpr std::array kCaseExamples{
    Example{"tenon case run tests/cases/*.case", "run all kept cases"},
};
constexpr std::array kCompletionExamples{
    Example{"source <(tenon completion bash)", "complete in this shell"},
    Example{"tenon completion zsh > \"${fpath[1]}/_tenon\"", "complete in every zsh"},
};
constexpr std::array kHelpExamples{
    Example{"tenon help topo show", "the help of one command"},
};
constexpr std::array kPlaceExamples{
    Example{"tenon place --cluster examples/mixed.tn --request \"gpu=2 nic=2 pair<=PIX\" --explain",
            "where two GPUs with a NIC each go, and why"},
    Example{"nvidia-smi topo -m | tenon place --cluster - --request \"gpu=4 nic=2 pair=2:1<=PXB\"",
            "four GPUs and two NICs on this machine"},
};
constexpr std::array kCheckExamples{
    Example{"tenon topo check host", "does this machine contradict itself"},
};
constexpr std::array kConvertExamples{
    Example{"nvidia-smi topo -m | tenon topo convert - > a1.tn", "keep this machine as notation"},
};
constexpr std::array kDistancesExamples{
    Example{"nvidia-smi topo -m | tenon topo distances - -o json", "the matrix, for a script"},
    Example{"tenon topo distances examples/mixed.tn -o csv",
            "of several machines: a row for each ordered pair of devices"},
};
constexpr std::array kShowExamples{
    Example{"tenon topo show host", "draw this machine"},
    Example{"tenon topo show examples/mixed.tn --node hgx1 -o svg > hgx1.svg",
            "one of several, as a picture"},
};

constexpr std::array kCommands{
    Command{.name = "case run",
            .operands = "FILE...",
            .summary = "Run cases: a cluster, requests, and the answers expected of them",
            .help = "Prints a line for each expectation; exits with 1 if one does not hold.\n"
                    "docs/cases.md has the form of the files.",
            .examples = kCaseExamples,
            .flags = kOutputOnly,
            .run = run_case},
    Command{.name = "completion",
            .operands = "bash|zsh",
            .summary = "Print the completion script of a shell",
            .help = "The script knows every command, flag and choice.",
            .examples = kCompletionExamples,
            .flags = {},
            .run = run_completion},
    Command{.name = "help",
            .operands = "[COMMAND]",
            .summary = "Show the commands, or the help of one",
            .help = "The same as COMMAND --help.",
            .examples = kHelpExamples,
            .flags = {},
            .run = run_help},
    Command{.name = "place",
            .operands = "",
            .summary = "Find the devices, cores and memory that a request gets, and why",
            .help =
                "Nothing is changed anywhere: this is the scheduler's own answer to a question.\n"
                "docs/notation.md has the clauses of a request, docs/refusals.md the meaning of "
                "each no.\n"
                "The machines are read like the operands of topo; who holds what comes from the "
                "notation.\n"
                "The exit code tells the answers apart: 0 it fits, 2 it never fits, 4 not now,\n"
                "5 forbidden, 64 badly asked; 1 not decided, where --steps-max cut the search.",
            .examples = kPlaceExamples,
            .flags = kPlaceFlags,
            .run = run_place},
    Command{.name = "topo check",
            .operands = "FILE...",
            .summary = "Report what contradicts itself in a machine's topology",
            .help = kInputs,
            .examples = kCheckExamples,
            .flags = kRead,
            .run = run_topo_check},
    Command{.name = "topo convert",
            .operands = "FILE...",
            .summary = "Write a machine in Tenon's notation",
            .help = kConvertHelp,
            .examples = kConvertExamples,
            .flags = kConvertFlags,
            .run = run_topo_convert},
    Command{.name = "topo distances",
            .operands = "FILE...",
            .summary = "Print how far apart every two GPUs and NICs are",
            .help = kInputs,
            .examples = kDistancesExamples,
            .flags = kRead,
            .run = run_topo_distances},
    Command{.name = "topo show",
            .operands = "FILE...",
            .summary = "Draw a machine: NUMA nodes, switches, devices, and who holds them",
            .help = kInputs,
            .examples = kShowExamples,
            .flags = kReadAndDraw,
            .run = run_topo_show},
    Command{.name = "version",
            .operands = "",
            .summary = "Print the version",
            .help = "The version of the program and of the form of its JSON.",
            .examples = {},
            .flags = kOutputOnly,
            .run = run_version},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }
std::span<const Flag> common_flags() { return kCommon; }

std::string_view Invocation::value(std::string_view flag) const {
  const auto found = std::ranges::find_if(flags.rbegin(), flags.rend(),
                                          [&](const auto& given) { return given.first == flag; });
  return found == flags.rend() ? std::string_view{} : std::string_view{found->second};
}

std::vector<std::string> Invocation::values(std::string_view flag) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : flags) {
    if (name == flag) values.push_back(value);
  }
  return values;
}

void Desk::warn(std::string_view line) {
  outcome.err += text::cat("tenon: warning: ", render::printable(line), "\n");
}

void Desk::fail(const Error& error, ExitCode code) {
  outcome.err += text::cat("tenon: ", render::printable(to_text(error)), "\n");
  outcome.code = std::max(outcome.code, code);
}

}  // namespace tenon::cli
