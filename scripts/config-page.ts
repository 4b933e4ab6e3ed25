/**
 * Owns docs/config.md: every key of supabase/config.toml that Homebase knows, generated from the schema.
 * Writes the page; with --check it only reports whether the page is current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { KEYS_WITHOUT_EFFECT, KNOWN_NAMES, UNUSED_KEYS } from "../homebase/src/config/keys.ts";
import { configSchema } from "../homebase/src/config/schema.ts";

const PAGE = join(import.meta.dirname, "..", "docs", "config.md");

const HEAD = `# Keys of supabase/config.toml

Made by \`node scripts/config-page.ts\` from the schema; a test keeps both the same. \`*\` stands for a name of the project's own. A key that is not here is named at the start, with the one that was probably meant. A value \`env(NAME)\` is taken from the environment or a \`.env\` file for every key. Defaults of times are in milliseconds, those of sizes in bytes.

`;

interface Key {
  path: string;
  fallback: string;
}

/** The page's text. */
export function configPage(): string {
  const used = keysOf(configSchema, [], configSchema.parse({}));
  const rows = used.map(({ path, fallback }) =>
    KEYS_WITHOUT_EFFECT[path] === undefined
      ? `| \`${path}\` | ${fallback} | used |`
      : `| \`${path}\` | ${fallback} | not used: ${KEYS_WITHOUT_EFFECT[path]} |`,
  );
  const unused = UNUSED_KEYS.map(({ path, why }) => `| \`${path}\` | ${why} |`);
  const names = Object.entries(KNOWN_NAMES).map(
    ([section, known]) => `- \`${section}.*\`: ${known.map((name) => `\`${name}\``).join(", ")}`,
  );
  return (
    `${HEAD}## Keys that are read\n\n| key | default | |\n| --- | --- | --- |\n${rows.join("\n")}\n\n` +
    `## Names that sections know\n\n${names.join("\n")}\n\n` +
    `## Keys that change nothing\n\nEach stands for the keys below it, too.\n\n| key | why |\n| --- | --- |\n${unused.join("\n")}\n`
  );
}

function keysOf(schema: z.ZodType, path: readonly string[], value: unknown): Key[] {
  const inner = unwrap(schema);
  const below = (key: string, one: z.ZodType): Key[] => {
    const next = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
    return keysOf(one, [...path, key], next);
  };
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape as Record<string, z.ZodType>)
      .filter(([key]) => !UNUSED_KEYS.some((unused) => unused.path === [...path, key].join(".")))
      .flatMap(([key, one]) => below(key, one));
  }
  if (inner instanceof z.ZodRecord) return below("*", inner.valueType as z.ZodType);
  return [{ path: path.join("."), fallback: value === undefined ? "" : `\`${JSON.stringify(value)}\`` }];
}

function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) {
    inner = inner.unwrap() as z.ZodType;
  }
  return inner;
}

if (import.meta.main) {
  if (process.argv.includes("--help")) console.log("Usage: node scripts/config-page.ts [--check]");
  else if (!process.argv.includes("--check")) writeFileSync(PAGE, configPage());
  else if (readFileSync(PAGE, "utf8") !== configPage()) {
    console.error("docs/config.md is not what the schema says. Run: node scripts/config-page.ts");
    process.exitCode = 1;
  }
}
