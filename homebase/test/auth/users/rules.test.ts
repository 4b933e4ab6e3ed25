/** Auth's pure rules: redirect globs, mail templates, passwords, times (docs/compat/auth.md 5). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RedirectList } from "../../../src/auth/kit/redirect-list.ts";
import { parseTemplate, TemplateError } from "../../../src/auth/mail/go-template.ts";
import { hashPassword, verifyPassword, weakness } from "../../../src/auth/users/passwords.ts";
import { rfc3339, sorted } from "../../../src/auth/users/user.ts";
import { configSchema } from "../../../src/config/schema.ts";

describe("the redirect allow-list", () => {
  const list = new RedirectList("https://app.example.com", [
    "https://*.preview.dev/*",
    "https://docs.dev/**",
    "myapp://callback",
    "https://{one,two}.dev/v[0-9]",
  ]);
  it.each([
    ["https://app.example.com/anything?x=1", true],
    ["http://app.example.com/", false],
    ["https://app.example.com:8443/", false],
    ["https://a.preview.dev/page", true],
    ["https://a.b.preview.dev/page", false],
    ["https://a.preview.dev/page/deeper", false],
    ["https://docs.dev/a/b.html?c=d", true],
    ["https://docs.dev/a#fragment", true],
    ["myapp://callback", true],
    ["myapp://callback/more", false],
    ["https://two.dev/v7", true],
    ["https://three.dev/v7", false],
    ["http://127.0.0.1:5173/x", true],
    ["http://[::1]:3000/", true],
    ["http://10.0.0.1/", false],
    ["http://2130706433/", false],
    ["javascript:alert(1)", false],
  ])("%s: %s", (address, allowed) => expect(list.allows(address)).toBe(allowed));
});

describe("templates", () => {
  const fill = (source: string, variables: Record<string, unknown>) =>
    parseTemplate(source, "html")(variables);

  it("fills in fields, nested ones too, and leaves what is missing empty", () => {
    expect(
      fill("{{ .Email }} {{.Data.name}}{{ .Data.none }}", { Email: "a@b.c", Data: { name: "Ada" } }),
    ).toBe("a@b.c Ada");
  });

  it("chooses by if, else if, else; repeats by range; trims by markers", () => {
    const source =
      "{{ if eq .A 1 }}one{{ else if .B }}b{{ else }}none{{ end }} {{- range .L }} [{{ . }}]{{ end }}{{/* no */}}";
    expect(fill(source, { A: 1 })).toBe("one");
    expect(fill(source, { B: true, L: ["x", "y"] })).toBe("b [x] [y]");
    expect(fill(source, {})).toBe("none");
  });

  it("never lets a value become markup or a script's address", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const out = fill('<a title="{{ .V }}">{{ .V }}</a>', { V: value });
        expect(out.match(/[<>"]/g)).toHaveLength(6);
      }),
    );
    expect(fill('<a href="{{ .V }}">', { V: "javascript:alert(1)" })).toBe('<a href="#ZgotmplZ">');
    expect(fill('<a href="{{ .V }}">', { V: "myapp://x?a=1&b=2" })).toBe('<a href="myapp://x?a=1&amp;b=2">');
  });

  it.each(["{{ if .A }}", "{{ end }}", "{{ .A", "{{ nothing .A }}", '{{ template "x" }}'])(
    "refuses %s",
    (source) => expect(() => parseTemplate(source, "html")).toThrow(TemplateError),
  );
});

describe("passwords", () => {
  it("are hashed as $2a$10$ and verify, also hashes of other kinds", async () => {
    const hash = await hashPassword("correct horse");
    expect(hash).toMatch(/^\$2a\$10\$/);
    expect(await verifyPassword("correct horse", hash)).toBe(true);
    expect(await verifyPassword("wrong horse", hash)).toBe(false);
    expect(await verifyPassword("correct horse", hash.replace("$2a$", "$2y$"))).toBe(true);
    expect(await verifyPassword("", "")).toBe(false);
  });

  it("say which groups they lack", () => {
    const { auth } = configSchema.parse({ auth: { password_requirements: "letters_digits" } });
    expect(weakness(auth, "abc")).toEqual({
      message:
        "Password should be at least 6 characters. Password should contain at least one character of each: abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ, 0123456789.",
      reasons: ["length", "characters"],
    });
    expect(weakness(auth, "abcdef1")).toBeUndefined();
  });
});

describe("JSON of users", () => {
  it.each([
    ["2026-11-21T02:01:22.120000+00:00", "2026-11-21T02:01:22.12Z"],
    ["2026-11-21T02:01:22+00:00", "2026-11-21T02:01:22Z"],
    ["2026-11-21T02:01:22.000Z", "2026-11-21T02:01:22Z"],
    ["2026-11-21T02:01:20.123456+00:00", "2026-11-21T02:01:20.123456Z"],
    ["2026-11-21T02:01:20Z", "2026-11-21T02:01:20Z"],
  ])("writes the time %s as %s", (given, written) => expect(rfc3339(given)).toBe(written));

  it("sorts keys at every depth", () => {
    expect(JSON.stringify(sorted({ b: 1, a: [{ d: 1, c: 2 }] }))).toBe('{"a":[{"c":2,"d":1}],"b":1}');
  });
});
