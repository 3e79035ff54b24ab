import ipaddr from "ipaddr.js";

// By the special-purpose registries of IANA: what is not on the public internet, leads back into a private one, or is
// answered by whichever machine is nearest. Metadata services of clouds lie in these too, with one exception.
const notPublic: readonly [cidr: string, what: string][] = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared by a carrier"],
  ["127.0.0.0/8", "loopback"],
  // Azure's host answers each of its machines there, with what only that machine may know.
  ["168.63.129.16/32", "a cloud's own"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "for documentation"],
  ["192.31.196.0/24", "a sink for DNS"],
  ["192.52.193.0/24", "a relay of multicast"],
  ["192.88.99.0/24", "a 6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["192.175.48.0/24", "a sink for DNS"],
  ["198.18.0.0/15", "for benchmarks"],
  ["198.51.100.0/24", "for documentation"],
  ["203.0.113.0/24", "for documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["64:ff9b::/96", "a translation to IPv4"],
  ["64:ff9b:1::/48", "a translation to IPv4"],
  ["100::/64", "discarded"],
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "for documentation"],
  ["2002::/16", "a tunnel to IPv4"],
  ["2620:4f:8000::/48", "a sink for DNS"],
  ["3fff::/20", "for documentation"],
  ["fc00::/7", "private"],
  ["fe80::/10", "link-local"],
  ["ff00::/8", "multicast"],
];
const blocks = notPublic.map(([cidr, what]) => ({ range: ipaddr.parseCIDR(cidr), what }));
// All of the IPv6 internet lies in here. What does not is refused, also where nobody has given it a name yet.
const publicV6 = ipaddr.parseCIDR("2000::/3");

/** What kind of address it is when it is not a public one; null for a public one. */
export function whyNotPublic(address: string): string | null {
  if (!ipaddr.isValid(address)) return "no address";
  // The IPv4 inside ::ffff:127.0.0.1 is where the packets go.
  const parsed = ipaddr.process(address);
  const found = blocks.find(({ range }) => range[0].kind() === parsed.kind() && parsed.match(range));
  if (found !== undefined) return found.what;
  return parsed.kind() === "ipv6" && !parsed.match(publicV6) ? "reserved" : null;
}
