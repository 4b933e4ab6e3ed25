/** Tests public_address.ts. */
import { describe, expect, it } from "vitest";
import { isPublicIp, publicAddress } from "./public_address.ts";

describe("publicAddress", () => {
  it.each([
    ["https://calendar.example.org/a.ics?x=1", "https://calendar.example.org/a.ics?x=1"],
    ["webcal://calendar.example.org/a.ics", "https://calendar.example.org/a.ics"],
    ["https://93.184.216.34/a", "https://93.184.216.34/a"],
  ])("takes %s", (given, expected) => {
    expect(publicAddress(given)?.href).toBe(expected);
  });

  it.each([
    "http://calendar.example.org/a.ics",
    "file:///etc/passwd",
    "https://localhost/a",
    "https://db.internal/a",
    "https://printer/a",
    "https://127.0.0.1/a",
    "https://2130706433/a",
    "https://0x7f.1/a",
    "https://[::1]/a",
    "https://[::ffff:10.0.0.1]/a",
    "https://[fd00::1]/a",
    "https://169.254.169.254/latest/meta-data",
    "https://user:password@calendar.example.org/",
    "https://calendar.example.org:5432/",
    "https://localhost./a",
    "not an address",
    "",
  ])("refuses %s", (given) => {
    expect(publicAddress(given)).toBeNull();
  });
});

describe("isPublicIp", () => {
  it.each([
    "8.8.8.8",
    "2a00:1450:4001::8a",
    "2606:4700:4700:0:0:0:0:1111",
    "2606:2800:220:1:248:1893:25c8:1946",
  ])("%s is", (address) => {
    expect(isPublicIp(address)).toBe(true);
  });
  it.each([
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "fe80::1",
    "ff02::1",
    "2001:db8::1",
    "2002:0a00:0001::",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::a00:1",
    "2001:0000:4136:e378:8000:63bf:3fff:fdd2",
    "2001:0:4136:e378::",
    "2001:0DB8:0:0:0:0:0:1",
    "2606:4700::1::2",
    "2606:4700:1:2:3:4:5:6:7",
    "2606:4700::1%eth0",
    "3fff:123::1",
    "fd12:3456::1",
    "192.88.99.1",
    "010.0.0.1",
    "8.8.8",
    "",
    "x",
  ])("%s is not", (address) => {
    expect(isPublicIp(address)).toBe(false);
  });
});
