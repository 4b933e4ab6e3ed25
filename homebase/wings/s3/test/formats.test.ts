/** The pure parts of the S3 protocol: parsing and writing XML, checksums, ranges, policies of forms. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { XmlError } from "../../../src/core/xml.ts";
import { BodyChecksums } from "../checksum.ts";
import { requirePolicy } from "../form.ts";
import { readRange } from "../objects.ts";
import { childText, readXml, writeXml } from "../xml.ts";

describe("XML", () => {
  test("lists repeat their element, what is not there is empty, nothing is left unescaped", () => {
    const value = {
      Name: "a&b<c>",
      Contents: [{ Key: "1" }, { Key: "2" }],
      None: [],
      Marker: undefined,
      Size: 0,
    };
    expect(writeXml("R", value)).toBe(
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' +
        '<R xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>a&amp;b&lt;c&gt;</Name>' +
        "<Contents><Key>1</Key></Contents><Contents><Key>2</Key></Contents><Marker/><Size>0</Size></R>",
    );
    expect(writeXml("Location", "local")).toContain('/2006-03-01/">local</Location>');
  });

  test("whatever text is written is read again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(childText(readXml(writeXml("R", { Key: text })), "Key")).toBe(text);
      }),
    );
  });

  test("prefixes, attributes, comments, CDATA and entities are read", () => {
    const text = `\uFEFF<?xml version="1.0"?><!-- one --><s3:Delete xmlns:s3="x">
      <s3:Object id='1'><Key>a &lt;&#98;&#x63;&gt; <![CDATA[<&]]></Key><VersionId/></s3:Object></s3:Delete>`;
    const [object] = readXml(text).children;
    expect(object && [childText(object, "Key"), childText(object, "VersionId")]).toEqual(["a <bc> <&", ""]);
  });

  test.each([
    ["<a>"],
    ["<a></b>"],
    ["</a>"],
    ["<a/><b/>"],
    ["text"],
    ["<a>&unknown;</a>"],
    ["<a>&#x110000;</a>"],
    ["<a><</a>"],
    ['<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
    ["<a>".repeat(20) + "</a>".repeat(20)],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'],
    ["<!DOCTYPE a><a/>"],
    ["<a b=c/>"],
    ["<a>&#0;&#xD800</a>"],
    [""],
  ])("%s is none", (text) => {
    expect(() => readXml(text)).toThrow(XmlError);
  });

  const MEGABYTE = 1024 ** 2;
  const filled = (piece: string, before = "", after = "") =>
    before + piece.repeat(Math.floor((MEGABYTE - before.length - after.length) / piece.length)) + after;
  const attributes = Array.from({ length: 80_000 }, (_, index) => `b${index}="x"`).join(" ");

  test.each([
    ["many attributes", `<a ${attributes}/>`],
    ["one attribute many times", filled('b="x" ', "<a ", "/>")],
    ["deep nesting", filled("<a>")],
    ["many elements", filled("<a/>", "<r>", "</r>")],
    ["unclosed tags", filled("<a ", "<r>")],
    ["tags without an end, as a comparison of all with all would have them", filled("<a b ", "<r>")],
    ["brackets", filled("<")],
    ["spaces in a tag", filled(" ", "<r", ">")],
    ["a huge text", filled("x", "<r>", "</r>")],
    ["comments", filled("<!---->", "<r>", "</r>")],
    ["an open comment", filled("x", "<r><!--")],
    ["CDATA", filled("<![CDATA[x]]>", "<r>", "</r>")],
    ["an open CDATA", filled("]]", "<r><![CDATA[")],
    ["entities", filled("&#x41;", "<r>", "</r>")],
    ["an open entity", filled("a", "<r>&")],
    ["entities of a document type", filled('<!ENTITY a "b">', "<!DOCTYPE x [", "]><x/>")],
    ["an instruction without an end", filled("?", "<?")],
    ["a long name", filled("n", "<")],
    ["a long value", filled("x", '<a b="')],
  ])("a megabyte of %s is read or refused at once", (_name, text) => {
    // CPU time, and the better of two runs, so that other work of the machine does not count.
    const spent = [1, 2].map(() => {
      const began = process.cpuUsage();
      try {
        readXml(text);
      } catch (error) {
        expect(error).toBeInstanceOf(XmlError);
      }
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1_000;
    });
    // A time that grows with the square of the length is minutes.
    expect(Math.min(...spent)).toBeLessThan(5_000);
  });

  test("the time grows with the length, not with its square", () => {
    const time = (count: number) => {
      const text = `<r>${"<a b='c'>&lt;</a>".repeat(count)}</r>`;
      const began = process.cpuUsage();
      try {
        readXml(text);
      } catch {}
      return process.cpuUsage(began).user;
    };
    time(900);
    expect(time(9_000)).toBeLessThan(Math.max(40 * time(900), 100_000));
  });

  test("arbitrary text is read, or refused as XML", () => {
    const markup = fc.constantFrom(
      "<",
      ">",
      "/",
      "a",
      "b",
      " ",
      "=",
      '"',
      "'",
      "&",
      ";",
      "#",
      "x",
      "!",
      "-",
      "[",
      "]",
      "?",
      ":",
      "\u0000",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(markup, { maxLength: 40 }).map((parts) => parts.join("")),
        ),
        (text) => {
          try {
            readXml(text);
          } catch (error) {
            expect(error).toBeInstanceOf(XmlError);
          }
        },
      ),
      { seed: 5, numRuns: 2_000 },
    );
  });
});

describe("checksums", () => {
  // The check values of the CRC catalogue, and the digests of RFC 1321, 3174 and 6234 of the same text.
  test.each([
    ["x-amz-checksum-crc32", "cbf43926"],
    ["x-amz-checksum-crc32c", "e3069283"],
    ["x-amz-checksum-crc64nvme", "ae8b14860a799888"],
    ["x-amz-checksum-sha1", "f7c3bc1d808e04732adf679965ccc34ca7ae3441"],
    ["x-amz-checksum-sha256", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"],
    ["content-md5", "25f9e794323b453885f5181f1b624d0b"],
  ])("%s is counted over pieces, and another value refused", (name, hex) => {
    const check = (value: string) => {
      const checksums = new BodyChecksums({ [name]: value });
      for (const piece of ["1234", "", "56789"]) checksums.update(Buffer.from(piece));
      checksums.check();
    };
    expect(() => check(Buffer.from(hex, "hex").toString("base64"))).not.toThrow();
    expect(() => check("AAAA")).toThrow("did not match the calculated checksum");
  });
});

describe("ranges", () => {
  test("any that can be satisfied lies within the bytes and begins where it says", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(100), fc.integer({ min: 1, max: 100 }), (start, end, size) => {
        const range = readRange(`bytes=${start}-${end}`, size);
        if (start > end) expect(range).toBeUndefined();
        else if (start >= size) expect(range).toBe("unsatisfiable");
        else expect(range).toEqual({ start, end: Math.min(end, size - 1) });
      }),
    );
    expect(readRange("bytes=-5", 0)).toBe("unsatisfiable");
  });
});

describe("policies of forms", () => {
  const encode = (policy: unknown) => Buffer.from(JSON.stringify(policy)).toString("base64");
  const demand = (policy: unknown, fields: Record<string, string> = {}) =>
    requirePolicy({ policy: encode(policy), ...fields }, "box", Date.parse("2026-01-01T00:00:00Z"));
  const expiration = "2026-01-01T00:00:01Z";

  test("the narrowest of several ranges counts", () => {
    const conditions = [{ bucket: "box" }, ["content-length-range", 1, 10], ["content-length-range", 5, 20]];
    expect(demand({ expiration, conditions })).toEqual({ least: 5, most: 10 });
  });

  test.each([
    [{ conditions: [] }, "Missing policy expiration"],
    [{ expiration: "soon", conditions: [] }, "Invalid policy expiration"],
    [{ expiration }, "Invalid policy conditions"],
    [{ expiration, conditions: [["matches", "$key", "a"]] }, "Unsupported policy condition"],
    [{ expiration, conditions: [["eq", "key", "a"]] }, "Invalid policy condition"],
    [{ expiration, conditions: [{ a: "1", b: "2" }] }, "Invalid policy condition"],
    [{ expiration, conditions: [null] }, "Invalid policy condition"],
    [{ expiration, conditions: [] }, 'field "bucket" is not covered by the policy'],
    [{ expiration: "2025-12-31T23:59:59Z", conditions: [] }, "The provided token has expired."],
  ])("%j is refused", (policy, message) => {
    expect(() => demand(policy)).toThrow(message);
  });
});
