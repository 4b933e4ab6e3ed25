/** Tests errors.ts. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AppError, toAppError } from "./errors.ts";

const repository = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, repository), "utf8");

const schema = readdirSync(new URL("supabase/schemas/", repository))
  .map((name) => read(`supabase/schemas/${name}`))
  .join("\n");

/** The rows of private.errors: code to status. */
function catalogue(): Map<string, string> {
  return new Map(
    [...read("supabase/rows/errors.sql").matchAll(/^\s*\('([a-z_]+)', (4\d\d), '/gm)].map(
      ([, code, status]) => [code ?? "", status ?? ""],
    ),
  );
}

describe("the error catalogue", () => {
  it("holds every code that a function or trigger refuses with, and no other", () => {
    const used = new Set<string>();
    for (const [, code] of schema.matchAll(/refuse\('([a-z_]+)'\)/g)) used.add(code ?? "");
    for (const [, code] of schema.matchAll(/enforce_limit\([^)]*'([a-z_]+)'\)/g)) used.add(code ?? "");
    expect([...used].sort()).toEqual([...catalogue().keys()].sort());
  });
});

describe("toAppError", () => {
  it("takes code, words and way on from a refusal of the database", () => {
    const error = toAppError({
      code: "PT409",
      message: "Full.",
      details: "voting_closed",
      hint: "Ask.",
      name: "PostgrestError",
    });
    expect(error).toMatchObject({ kind: "conflict", code: "voting_closed", message: "Full.", hint: "Ask." });
  });

  it.each([
    [{ code: "PT403", details: "not_host", message: "", hint: "" }, "permission"],
    [{ code: "PT400", details: "time_in_past", message: "", hint: "" }, "invalid"],
    [{ code: "PT429", details: "too_many_messages", message: "", hint: "" }, "conflict"],
    [{ code: "42501", message: "permission denied for table plans" }, "permission"],
    [{ code: "23514", message: "violates check constraint" }, "invalid"],
    [{ code: "invalid_credentials", message: "Invalid login credentials", status: 400 }, "invalid"],
    [new TypeError("Failed to fetch"), "network"],
    [new Error("boom"), "unexpected"],
    ["not even an error", "unexpected"],
  ])("sorts %o as %s", (thrown, kind) => {
    expect(toAppError(thrown).kind).toBe(kind);
  });

  it("leaves an AppError as it is", () => {
    const error = new AppError("invalid", "x", "y", "z");
    expect(toAppError(error)).toBe(error);
  });
});
