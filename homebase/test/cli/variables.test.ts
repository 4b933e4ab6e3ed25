/** Tests the variables that `status -o env` prints, which a shell evaluates. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { variableLine } from "../../src/cli/kit/status-variables.ts";

test.each([
  "http://127.0.0.1:54321",
  "$(echo made)",
  "`echo made`",
  '"; echo made; "',
  "\\",
  "$HOME",
  "a'b c",
])("a shell reads %s as it is", (value) => {
  const script = `eval "$LINE"; printf %s "$NAME"`;
  const env = { LINE: variableLine("NAME", value), HOME: "/home/somebody" };
  expect(execFileSync("/bin/sh", ["-c", script], { env, encoding: "utf8" })).toBe(value);
});
