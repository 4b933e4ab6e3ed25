/** Owns a request's test in Vitest: supabase-js on a Backend of `homebase-stack/testing`. */
import type { MadeTest } from "./made.ts";

export function vitestTest(test: MadeTest): string {
  const { title, comments, statements, role, claims, address } = test;
  const user = address?.replace(/@.*/, "").replace(/\W/g, "_");
  const whole = { ...claims, role };
  const rows = statements.join("\n").replace(/[\\`]|\$\{/g, "\\$&");
  const token =
    role === "anon" ? "" : `, {\n    accessToken: () => backend.token(${user ?? shown(whole, 4)}),\n  }`;
  return [
    ...comments.map((line) => `// ${line}`),
    'import { createClient } from "@supabase/supabase-js";',
    'import { test } from "homebase-stack/testing/vitest";',
    'import { expect } from "vitest";',
    "",
    `test(${JSON.stringify(title)}, async ({ backend }) => {`,
    ...(rows === "" ? [] : [`  await backend.sql(\`\n${rows}\n\`);`]),
    ...(user === undefined ? [] : [`  const ${user} = ${shown(whole, 2)};`]),
    `  const client = createClient(backend.url, backend.publishableKey${token});`,
    `  ${outcomeOf(test)}`,
    "  // The first test of a run makes the database.",
    "}, 60_000);",
    "",
  ].join("\n");
}

function outcomeOf(test: MadeTest): string {
  const { outcome, command, called, uploaded, value } = test;
  // Storage's message is without the table.
  const message = uploaded ? test.message?.replace(/ for table .*/, "") : test.message;
  const reads = command === "select" || outcome === "empty";
  const call = callOf(test, reads);
  switch (outcome) {
    case "value":
      return `const { data, error } = await ${call};\n  expect(error).toBeNull();\n  expect(data).toEqual(${plainValue(value)});`;
    case "seen":
      if (called)
        return `const { data, error } = await ${call};\n  expect(error).toBeNull();\n  expect(data).not.toEqual([]);`;
      return `const { data, error } = await ${call};\n  expect(error).toBeNull();\n  expect(data).toHaveLength(1);`;
    case "empty":
      return `const { data, error } = await ${call};\n  expect(error).toBeNull();\n  expect(data).toEqual([]);`;
    case "refused":
      return `const { error } = await ${call};\n  expect(error).toMatchObject(${JSON.stringify({ code: uploaded ? undefined : "42501", message })});`;
    case "allowed":
      return `const { error } = await ${call};\n  expect(error).toBeNull();`;
  }
}

/** @param reads whether rows come back. */
function callOf({ table, command, key, columns, rows, called, uploaded }: MadeTest, reads: boolean): string {
  const schema = table.schema === "public" ? "" : `.schema(${JSON.stringify(table.schema)})`;
  if (called) return `client${schema}.rpc(${JSON.stringify(table.name)}, ${shown(called.args, 2)})`;
  if (uploaded)
    return `client.storage.from(${JSON.stringify(uploaded.bucket)}).upload(${JSON.stringify(uploaded.name)}, new Blob(["x"]))`;
  const written = rows.length === 1 ? rows[0] : rows;
  const change = {
    select: "",
    insert: `.insert(${shown(written, 2)})`,
    update: `.update(${shown(rows[0] ?? {}, 2)})`,
    delete: ".delete()",
  }[command];
  const keys = key.columns.map((one, at) => `.eq(${JSON.stringify(one)}, ${JSON.stringify(key.values[at])})`);
  const select = reads ? `.select(${columns.length === 0 ? "" : JSON.stringify(columns.join(","))})` : "";
  const where = keys.join("");
  const tail = command === "select" ? `${select}${where}` : `${change}${where}${select}`;
  return `client${schema}.from(${JSON.stringify(table.name)})${tail}`;
}

/** A value of Postgres's text as JSON has it: numbers and truths as they are, else the text. */
function plainValue(value: string | null | undefined): string {
  if (value === "true" || value === "t") return "true";
  if (value === "false" || value === "f") return "false";
  if (value == null) return "null";
  return /^(-?\d+(\.\d+)?|[[{].*)$/s.test(value) ? value : JSON.stringify(value);
}

/** JSON in lines, as far in as the code around it. */
function shown(value: unknown, indent: number): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${" ".repeat(indent)}`);
}
