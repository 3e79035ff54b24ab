import { BlockList, isIPv4 } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";
import { whyNotPublic } from "./public-address.ts";

// Written down a second time, and judged by Node's own arithmetic.
const denied = new BlockList();
const ranges4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
const ranges6 =
  "::/128 ::1/128 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 fc00::/7 fe80::/10 ff00::/8";
const cidrs = `${ranges4} ${ranges6}`.split(" ").map((cidr) => {
  const [network = "", bits = ""] = cidr.split("/");
  return { network, bits: Number(bits), type: isIPv4(network) ? ("ipv4" as const) : ("ipv6" as const) };
});
for (const { network, bits, type } of cidrs) denied.addSubnet(network, bits, type);

const dotted = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
const numberOf = (address: string) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

/** Anywhere, and often at the edge of a range. */
const edges = cidrs
  .filter(({ type }) => type === "ipv4")
  .flatMap(({ network, bits }) => [numberOf(network), numberOf(network) + 2 ** (32 - bits)]);
const anIPv4 = fc
  .oneof(
    fc.nat({ max: 2 ** 32 - 1 }),
    fc.tuple(fc.constantFrom(...edges), fc.integer({ min: -2, max: 2 })).map(([edge, by]) => edge + by),
  )
  .map((number) => dotted(((number % 2 ** 32) + 2 ** 32) % 2 ** 32));

test("an IPv4 address is public exactly when no range on the list has it, also inside of IPv6", () => {
  fc.assert(
    fc.property(anIPv4, (address) => {
      const isPublic = !denied.check(address, "ipv4");
      expect(whyNotPublic(address) === null).toBe(isPublic);
      expect(whyNotPublic(`::ffff:${address}`) === null).toBe(isPublic);
    }),
    { numRuns: 10_000 },
  );
});

/** Anywhere, and often inside of a range: chance alone hits hardly any of them. */
const anIPv6 = fc.oneof(
  fc.ipV6(),
  fc
    .tuple(
      fc.constantFrom(...cidrs.filter(({ type }) => type === "ipv6")),
      fc.array(fc.nat({ max: 65_535 }), { minLength: 8, maxLength: 8 }),
    )
    .map(([{ network, bits }, random]) => {
      const fixed = ipaddr.IPv6.parse(network).parts;
      const group = (index: number) => {
        const free = Math.min(16, Math.max(0, 16 * (index + 1) - bits));
        return (fixed[index] ?? 0) | ((random[index] ?? 0) & (2 ** free - 1));
      };
      return Array.from({ length: 8 }, (_, index) => group(index).toString(16)).join(":");
    }),
);

test("no IPv6 address of a range on the list is public", () => {
  fc.assert(
    fc.property(anIPv6, (address) => {
      if (whyNotPublic(address) === null) expect(denied.check(address, "ipv6")).toBe(false);
    }),
    { numRuns: 10_000 },
  );
});
