/** XML of SAML: its limits, its times, and when metadata is stale. */
import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/xml.ts";
import { type IdentityProvider, isStale, validCertificates } from "../metadata.ts";
import { allOf, durationOf, escapeXml, instantOf, METADATA_LIMITS, RESPONSE_LIMITS } from "../xml.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 22);
const provider: IdentityProvider = {
  entityId: "https://idp.example",
  signOnUrl: undefined,
  certificates: [],
  validUntil: undefined,
  cacheMs: undefined,
};

describe("a document", () => {
  it("is read with its namespaces, whatever their prefixes, and without comments", () => {
    const root = parseXml(
      '<a:r xmlns:a="urn:a" ID="1"><b xmlns="urn:b">x<!-- y -->z&amp;</b><a:c/></a:r>',
      RESPONSE_LIMITS,
    );
    expect([root.namespace, root.name, root.attributes.get("ID")]).toEqual(["urn:a", "r", "1"]);
    expect(root.children.map(({ namespace, name, text }) => [namespace, name, text])).toEqual([
      ["urn:b", "b", "xz&"],
      ["urn:a", "c", ""],
    ]);
    expect([...allOf(root)]).toHaveLength(3);
  });

  it.each([
    ["a document type", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ["an entity of HTML", "<a>&nbsp;</a>"],
    ["a NUL", "<a>&#0;</a>"],
    ["two roots", "<a/><b/>"],
    ["no root", "<!-- a -->"],
    ["an unknown prefix", "<a:b/>"],
    ["too many levels", "<a>".repeat(50) + "</a>".repeat(50)],
    ["too many comments", `<a>${"<!-- -->".repeat(1_001)}</a>`],
    ["too many instructions", `<a>${"<?b c?>".repeat(1_001)}</a>`],
    ["too many sections", `<a>${"<![CDATA[b]]>".repeat(1_001)}</a>`],
    ["too many namespaces", `<a ${Array.from({ length: 1_001 }, (_, at) => `xmlns:p${at}="u"`).join(" ")}/>`],
    ["too many attributes", `<a ${Array.from({ length: 10_001 }, (_, at) => `p${at}="u"`).join(" ")}/>`],
  ])("with %s is refused", (_what, text) => {
    expect(() => parseXml(text, METADATA_LIMITS)).toThrow();
    expect(() => parseXml(text, RESPONSE_LIMITS)).toThrow();
  });

  it("is written so that text stays text", () => {
    const text = `<&>"'\r\n\t]]>`;
    const root = parseXml(`<a b="${escapeXml(text)}">${escapeXml(text)}</a>`, RESPONSE_LIMITS);
    expect([root.text, root.attributes.get("b")]).toEqual([text, text]);
  });
});

it("times are UTC without a zone, and nothing but times", () => {
  expect(instantOf("2026-11-22T00:00:00Z")).toBe(NOW);
  expect(instantOf("2026-11-22T00:00:00.5")).toBe(NOW + 500);
  expect(instantOf("2026-11-22T05:45:00+05:45")).toBe(NOW);
  for (const text of ["", "2026-11-22", "now", "2026-13-01T00:00:00Z", "1"])
    expect(() => instantOf(text)).toThrow();
});

it("durations are those of XML", () => {
  expect(durationOf("PT1H")).toBe(HOUR);
  expect(durationOf("P1DT1H1M1.5S")).toBe(25 * HOUR + 61_500);
  expect(durationOf("P1Y1M")).toBe(395 * 24 * HOUR);
  for (const text of ["", "P", "PT", "1H", "P1H"]) expect(() => durationOf(text)).toThrow();
});

it("metadata is stale after its end, its cache duration, or a day", () => {
  expect(isStale({ ...provider, validUntil: NOW - 1 }, NOW, NOW)).toBe(true);
  expect(isStale({ ...provider, validUntil: NOW + HOUR }, NOW - 100 * HOUR, NOW)).toBe(false);
  expect(isStale({ ...provider, cacheMs: HOUR }, NOW - HOUR + 1, NOW)).toBe(false);
  expect(isStale({ ...provider, cacheMs: HOUR }, NOW - HOUR - 1, NOW)).toBe(true);
  expect(isStale({ ...provider, validUntil: NOW - 1, cacheMs: HOUR }, NOW, NOW)).toBe(true);
  expect(isStale(provider, NOW - 23 * HOUR, NOW)).toBe(false);
  expect(isStale(provider, NOW - 25 * HOUR, NOW)).toBe(true);
});

it("a certificate counts only while it is valid, and text that is none never does", async () => {
  const { selfSigned } = await import("../../hosted/database/certificate.ts");
  const { certificate } = selfSigned("idp.example", NOW);
  const text = certificate.replaceAll(/-----[A-Z ]+-----|\s/g, "");
  const one = { ...provider, certificates: [text, "bm90IG9uZQ=="] };
  expect(validCertificates(one, NOW)).toEqual([expect.stringContaining("BEGIN CERTIFICATE")]);
  expect(validCertificates(one, NOW + 31 * 24 * HOUR)).toEqual([]);
  expect(validCertificates(one, NOW - 48 * HOUR)).toEqual([]);
});
