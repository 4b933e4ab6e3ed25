/** What a command prints is text: no name, row or message of a project sends a terminal anything that it carries out. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textTable } from "../../src/cli/kit/table.ts";
import { forTerminal, guardTerminal } from "../../src/cli/kit/terminal.ts";

test.each([
  ["plain\ttext\r\n", "plain\ttext\r\n"],
  ["\u001b[31mred\u001b[39m \u001b[1;2mx", "\u001b[31mred\u001b[39m \u001b[1;2mx"],
  ["\r\u001b[2KStep ...", "\r\u001b[2KStep ..."],
  ["\u001b]52;c;cm0gLXJmIH4=\u0007", "\\u001b]52;c;cm0gLXJmIH4=\\u0007"],
  ["\u001b[2J\u001b[1;1Hgone", "\\u001b[2J\\u001b[1;1Hgone"],
  ["\u009b31m \u0000 \u007f", "\\u009b31m \\u0000 \\u007f"],
  ["hidden\rshown\b", "hidden\\u000dshown\\u0008"],
  ["\u202eesrever\u2066", "\\u202eesrever\\u2066"],
])("%j is shown as %j", (given, shown) => {
  expect(forTerminal(given)).toBe(shown);
});

test("a terminal is guarded, text and bytes alike; a pipe gets every byte", () => {
  const written: unknown[] = [];
  const stream = (isTTY: boolean) =>
    ({ isTTY, write: (chunk: unknown) => written.push(chunk) > 0 }) as unknown as NodeJS.WriteStream;
  for (const one of [stream(true), stream(false)]) {
    guardTerminal(one);
    one.write("\u001b[5n");
    one.write(Buffer.from("\u001b[5n"));
  }
  expect(written).toEqual(["\\u001b[5n", "\\u001b[5n", "\u001b[5n", Buffer.from("\u001b[5n")]);
});

test("no line of a table is wider than the terminal: the widest columns are cut, and elsewhere nothing is", () => {
  const names = ["query", "calls", "text of an unusual kind"];
  const rows = [
    ["select ".repeat(900), "12", "short"],
    ["select\n1", "1234567", "y".repeat(70)],
  ];
  const whole = textTable(names, rows, undefined).split("\n");
  expect(whole[2]).toContain("select ".repeat(900).trim());
  for (const width of [200, 80, 40, 20]) {
    const lines = textTable(names, rows, width).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines).toHaveLength(whole.length);
  }
  expect(textTable(names, rows, 80)).toContain("1234567");
  expect(textTable(["a"], [["one"]], 80)).toBe("a\n---\none\n");
});

test.each([
  ["y\nno\nYES\n", [true, false, true]],
  ["y\n", [true, false, false]],
  ["", [false, false, false]],
])("answers %j, with the input's end for no", (input, expected) => {
  const program = `import { asking } from ${JSON.stringify(join(import.meta.dirname, "../../src/cli/kit/terminal.ts"))};
    console.log(JSON.stringify(await asking(async (ask) => [await ask("One?"), await ask("Two?"), await ask("Three?")])));`;
  const ran = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", program], {
    input,
    encoding: "utf8",
  });
  expect(JSON.parse(ran.stdout)).toEqual(expected);
  expect(ran.stderr).toContain("One? [y/N] ");
});
