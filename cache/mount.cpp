#include "cache/mount.hpp"

#include <system_error>
#include <utility>

#include <sys/vfs.h>

namespace cudahot::cache {
namespace {

// FUSE and what virtual machines share are among them: what is behind is not known, and often is a network.
constexpr std::pair<std::uint32_t, std::string_view> kNetworkFileSystems[] = {
    {0x6969, "NFS"},        {0x517b, "SMB"},          {0xfe534d42, "SMB"},    {0xff534d42, "CIFS"},
    {0x01021997, "9p"},     {0x5346414f, "AFS"},      {0x6b414653, "AFS"},    {0x73757245, "Coda"},
    {0x564c, "NCP"},        {0x00c36400, "Ceph"},     {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
    {0x65735546, "FUSE"},   {0x19830326, "BeeGFS"},   {0x7461636f, "OCFS2"},  {0x01161970, "GFS2"},
    {0xaad7aaea, "PanFS"},  {0x20030528, "OrangeFS"}, {0x786f4256, "vboxsf"}, {0xbacbacbc, "vmhgfs"},
    {0x7c7c6673, "prl_fs"},
};

}  // namespace

std::optional<std::string_view> network_file_system(std::uint32_t type) {
  for (const auto& [known, name] : kNetworkFileSystems) {
    if (known == type) return name;
  }
  return std::nullopt;
}

std::optional<std::string_view> network_mount(const std::filesystem::path& file) {
  std::error_code error;
  // A file may be a link to another place.
  std::filesystem::path place = std::filesystem::weakly_canonical(file, error).parent_path();
  if (error) return std::nullopt;
  struct statfs mounted{};
  while (::statfs(place.c_str(), &mounted) != 0) {
    if (!place.has_relative_path()) return std::nullopt;
    place = place.parent_path();
  }
  return network_file_system(static_cast<std::uint32_t>(mounted.f_type));
}

}  // namespace cudahot::cache
