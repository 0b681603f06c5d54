// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Bridges and devices of an hwloc tree: places, GPUs, NICs with their virtual functions, NVMes.
//
// Of the bridges below a host bridge, the first is a root port, the second the up port of a switch,
// the third one of its down ports, the fourth the up port of the next switch, and so on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "formats/topology/hwloc_cpus.hpp"
#include "formats/topology/hwloc_file.hpp"
#include "formats/topology/node_builder.hpp"
#include "formats/topology/pci_role.hpp"

namespace tenon::formats::topology {

class HwlocDevices {
 public:
  HwlocDevices(const HwlocFile& file, const HwlocCpus& cpus, NodeBuilder& builder)
      : file_(file), cpus_(cpus), builder_(builder) {}

  /// Reads places and devices below `machine` and adds them to the builder, by PCI address.
  /// REQUIRES: cpus.settle.
  Result<void> read(pugi::xml_node machine);

  /// The GPUs by the id that matrices of the file use: "OSDev:802", "PCIDev:581".
  [[nodiscard]] const std::map<std::string, NodeBuilder::Handle>& gpus() const { return gpus_; }

 private:
  /// Where I/O hangs: the place over it, and how many bridges are above, host bridge not counted.
  struct Above {
    std::optional<domain::PlaceIndex> place;
    int bridges = 0;
    std::vector<int> numa;  // of the object that the host bridge hangs under
  };
  struct Function {
    pugi::xml_node object;
    domain::Device device;
    std::string ids;  // "15b3:1021"
    bool has_os_device = false;
    bool named_virtual = false;
    int vfs = 0;
  };

  Result<void> visit(pugi::xml_node object);
  Result<void> visit_io(pugi::xml_node object, const Above& above);
  Result<void> take_bridge(pugi::xml_node object, Above& above);
  Result<void> take_device(pugi::xml_node object, const Above& above);
  domain::PlaceIndex new_bridge(const std::vector<int>& numa, bool implied);
  domain::PlaceIndex top_place(const Above& above);
  Result<void> refuse_repeated();
  void fold_virtual_functions();
  void fold_virtual_functions_of_bus(const std::vector<Function*>& functions);
  void add_all();

  const HwlocFile& file_;
  const HwlocCpus& cpus_;
  NodeBuilder& builder_;
  std::vector<Function> functions_;
  std::map<std::string, NodeBuilder::Handle> gpus_;
  std::size_t places_ = 0;
};

}  // namespace tenon::formats::topology
