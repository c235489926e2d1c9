import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { addressRefusal } from "./address-rule.ts";

const refused = {
  "0.0.0.0": "unspecified",
  "0.1.2.3": "unspecified",
  "10.0.0.1": "private",
  "172.16.0.1": "private",
  "172.31.255.255": "private",
  "192.168.1.1": "private",
  "127.0.0.1": "loopback",
  "127.255.255.254": "loopback",
  "169.254.169.254": "link-local",
  "100.64.0.1": "carrier-grade NAT",
  "100.127.255.255": "carrier-grade NAT",
  "192.0.0.192": "reserved",
  "192.0.2.1": "reserved",
  "198.18.0.1": "reserved",
  "198.51.100.1": "reserved",
  "203.0.113.1": "reserved",
  "224.0.0.1": "multicast",
  "240.0.0.1": "reserved",
  "255.255.255.255": "broadcast",
  "::": "unspecified",
  "::1": "loopback",
  "::7f00:1": "2000::/3",
  "::127.0.0.1": "IPv4-mapped",
  "::8.8.8.8": "IPv4-mapped",
  "::ffff:127.0.0.1": "IPv4-mapped",
  "::ffff:8.8.8.8": "IPv4-mapped",
  "::ffff:0:127.0.0.1": "IPv4-translated",
  "64:ff9b::7f00:1": "NAT64",
  "64:ff9b::8.8.8.8": "NAT64",
  "64:ff9b:1::a00:1": "NAT64",
  "64:ff9b:1:ffff::1": "NAT64",
  "2002:7f00:1::": "6to4",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2": "Teredo",
  "2001:db8::1": "reserved",
  "3fff::1": "reserved",
  "fe80::1": "link-local",
  "fec0::1": "deprecatedSiteLocal",
  "fc00::1": "unique local",
  "fd00:ec2::254": "unique local",
  "ff02::1": "multicast",
  "100::1": "discard",
  "5f00::1": "segmentRouting",
  "4000::1": "2000::/3",
  "fe80::1%eth0": "no IP address",
  "2130706433": "no IP address",
  "134744072": "no IP address",
  "0177.0.0.1": "no IP address",
  "0x7f.1": "no IP address",
  localhost: "no IP address",
  "": "no IP address",
};

for (const [address, why] of Object.entries(refused)) {
  test(`the address ${JSON.stringify(address)} is refused (${why})`, () => {
    assert.ok(addressRefusal(address)?.includes(why), String(addressRefusal(address)));
  });
}

test("public addresses pass", () => {
  for (const address of ["8.8.8.8", "1.1.1.1", "52.94.236.248", "2606:4700:4700::1111", "2a00:1450::200e"]) {
    assert.equal(addressRefusal(address), undefined, address);
  }
});

test("an IPv4 address inside of an IPv6 one is refused, whichever it is and however it is carried", () => {
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.constantFrom("::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"),
      (ipv4, prefix) => assert.notEqual(addressRefusal(prefix + ipv4), undefined),
    ),
    { numRuns: propertyRuns(300) },
  );
});
