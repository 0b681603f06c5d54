// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/dra_slice.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "formats/topology/input.hpp"

namespace tenon::formats::topology {

std::string_view DraDevice::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &DraAttribute::name);
  if (found == attributes.end() || found->values.empty()) return {};
  return found->values.front();
}

std::vector<std::string_view> DraDevice::all_named(std::string_view last) const {
  std::vector<std::string_view> values;
  for (const DraAttribute& it : attributes) {
    const auto slash = it.name.rfind('/');
    const std::string_view full{it.name};
    if (full.substr(slash == std::string::npos ? 0 : slash + 1) != last) continue;
    values.insert(values.end(), it.values.begin(), it.values.end());
  }
  return values;
}

namespace {

class Collector {
 public:
  Collector(std::string_view name, std::vector<DraSlice>& slices,
            std::vector<std::string>& warnings)
      : name_(name), slices_(slices), warnings_(warnings) {}

  Result<void> take_object(const Value& object);

 private:
  Result<void> take_slice(const Value& object);
  Result<std::optional<std::string>> node_of(const Value& spec);
  Result<DraDevice> device_of(const Value& value);
  Result<void> take_attributes(const Value& attributes, DraDevice& device);
  Result<std::string> text_of(const Value& value, std::string_view what);
  Result<std::uint64_t> number_of(const Value& value, std::string_view what);

  std::unexpected<Error> refuse(const Value& at, std::string what) {
    return bad_input(where(name_, at), std::move(what),
                     "give what kubectl get resourceslices -o yaml prints");
  }
  void warn(const Value& at, std::string_view what) {
    warnings_.push_back(text::cat(where(name_, at), ": ", what));
  }

  std::string_view name_;
  std::vector<DraSlice>& slices_;
  std::vector<std::string>& warnings_;
};

Result<void> Collector::take_object(const Value& object) {
  if (object.kind == Value::Kind::kNull) return {};  // an empty document
  const std::string& kind = object["kind"].scalar;
  if (kind == "ResourceSlice") return take_slice(object);
  if (kind == "List" || kind == "ResourceSliceList") {
    if (object["items"].kind == Value::Kind::kMap || object["items"].is_scalar()) {
      return refuse(object["items"], "items is no list");
    }
    for (const Value& item : object["items"].items) {
      // Items of a ResourceSliceList may leave out their kind; a List in a List is nothing.
      const bool slice = item["kind"].scalar == "ResourceSlice" ||
                         (kind == "ResourceSliceList" && item["kind"].scalar.empty());
      if (!slice) {
        warn(item, text::cat("kind ", text::quoted(item["kind"].scalar), " is left out"));
      } else if (auto done = take_slice(item); !done) {
        return done;
      }
    }
    return {};
  }
  warn(object, text::cat("kind ", text::quoted(kind), " is left out"));
  return {};
}

Result<std::string> Collector::text_of(const Value& value, std::string_view what) {
  if (value.kind == Value::Kind::kNull) return std::string{};
  if (!value.is_scalar()) return refuse(value, text::cat(what, " is no text"));
  return value.scalar;
}

Result<std::uint64_t> Collector::number_of(const Value& value, std::string_view what) {
  if (value.kind == Value::Kind::kNull) return std::uint64_t{0};
  const auto number = text::to_u64(value.scalar);
  if (!value.is_scalar() || !number) {
    return refuse(value, text::cat(what, " is no number from 0 on"));
  }
  return *number;
}

bool is_node_name(std::string_view name) {
  constexpr std::size_t kMost = 253;
  return !name.empty() && name.size() <= kMost && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  });
}

/// Nothing where the slice is not of one node.
Result<std::optional<std::string>> Collector::node_of(const Value& spec) {
  auto name = text_of(spec["nodeName"], "nodeName");
  if (!name) return std::unexpected(name.error());
  if (name->empty()) {
    const bool elsewhere = spec["nodeSelector"].kind == Value::Kind::kMap ||
                           spec["allNodes"].scalar == "true" ||
                           spec["perDeviceNodeSelection"].scalar == "true";
    if (elsewhere) return std::nullopt;
    name = text_of(spec["pool"]["name"], "pool.name");
    if (!name) return std::unexpected(name.error());
  }
  if (!is_node_name(*name)) {
    return refuse(spec, text::cat("names no node: ", text::quoted(*name),
                                  " is neither a nodeName nor a pool named like a node"));
  }
  return std::optional{std::move(*name)};
}

Result<void> Collector::take_slice(const Value& object) {
  const std::string& version = object["apiVersion"].scalar;
  if (!version.empty() && !version.starts_with("resource.k8s.io/v1")) {
    return refuse(object,
                  text::cat("apiVersion ", text::quoted(version), " is none of resource.k8s.io"));
  }
  const Value& spec = object["spec"];
  if (spec.kind != Value::Kind::kMap) return refuse(object, "a ResourceSlice has no spec");
  auto node = node_of(spec);
  if (!node) return std::unexpected(node.error());
  if (!*node) {
    warn(object, text::cat("slice ", text::quoted(object["metadata"]["name"].scalar),
                           " is not of one node: left out"));
    return {};
  }
  DraSlice slice;
  slice.node = std::move(**node);
  slice.where = where(name_, object);
  auto driver = text_of(spec["driver"], "driver");
  auto pool = text_of(spec["pool"]["name"], "pool.name");
  auto generation = number_of(spec["pool"]["generation"], "pool.generation");
  auto count = number_of(spec["pool"]["resourceSliceCount"], "pool.resourceSliceCount");
  if (!driver) return std::unexpected(driver.error());
  if (!pool) return std::unexpected(pool.error());
  if (!generation) return std::unexpected(generation.error());
  if (!count) return std::unexpected(count.error());
  slice.driver = std::move(*driver);
  slice.pool = std::move(*pool);
  slice.generation = *generation;
  slice.slices_of_pool = *count;
  if (slice.driver.empty()) return refuse(spec, "a ResourceSlice has no driver");
  const Value& devices = spec["devices"];
  if (devices.kind != Value::Kind::kList && devices.kind != Value::Kind::kNull) {
    return refuse(devices, "devices is no list");
  }
  for (const Value& value : devices.items) {
    auto device = device_of(value);
    if (!device) return std::unexpected(device.error());
    slice.devices.push_back(std::move(*device));
  }
  slices_.push_back(std::move(slice));
  return {};
}

Result<DraDevice> Collector::device_of(const Value& value) {
  DraDevice device;
  auto name = text_of(value["name"], "name");
  if (!name) return std::unexpected(name.error());
  if (name->empty()) return refuse(value, "a device has no name");
  device.name = std::move(*name);
  device.where = text::cat(where(name_, value), ": device ", device.name);
  // Up to v1beta1 facts stand under "basic".
  const Value& facts = value["basic"].kind == Value::Kind::kMap ? value["basic"] : value;
  if (auto done = take_attributes(facts["attributes"], device); !done) {
    return std::unexpected(done.error());
  }
  // Since v1beta1 a capacity is a map with a value; before it was the quantity itself.
  const Value& memory = facts["capacity"]["memory"];
  device.memory = memory.is_scalar() ? memory.scalar : memory["value"].scalar;
  device.has_taints = !facts["taints"].items.empty();
  device.draws_on_counters = !facts["consumesCounters"].items.empty();
  return device;
}

Result<void> Collector::take_attributes(const Value& attributes, DraDevice& device) {
  if (attributes.kind != Value::Kind::kMap && attributes.kind != Value::Kind::kNull) {
    return refuse(attributes, "attributes is no map");
  }
  for (const auto& [name, typed] : attributes.members) {
    if (typed.kind != Value::Kind::kMap) {
      return refuse(typed, text::cat("attribute ", text::quoted(name), " has no type"));
    }
    DraAttribute attribute{.name = name, .values = {}};
    for (const auto& [type, value] : typed.members) {
      if (value.is_scalar()) attribute.values.push_back(value.scalar);
      for (const Value& item : value.items) {
        if (item.is_scalar()) attribute.values.push_back(item.scalar);
      }
    }
    device.attributes.push_back(std::move(attribute));
  }
  return {};
}

}  // namespace

Result<void> collect_slices(const std::vector<Value>& documents, std::string_view source_name,
                            std::vector<DraSlice>& slices, std::vector<std::string>& warnings) {
  Collector collector{source_name, slices, warnings};
  for (const Value& document : documents) {
    if (auto done = collector.take_object(document); !done) return done;
  }
  return {};
}

}  // namespace tenon::formats::topology
