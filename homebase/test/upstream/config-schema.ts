/** Owns reading the CLI's schema of its config: every key, and a file that has them all. */

/** The package that has it, beside the CLI. */
export const SCHEMA = "@supabase/config/dist/schema.json";

/** JSON Schema, as far as a sample needs it. */
export interface Schema {
  $ref?: string;
  type?: string;
  default?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  $defs?: Record<string, Schema>;
}

/**
 * A value that has every key, with the defaults where there are some. A branch of a project has the same keys again, so
 * `remotes` is left out.
 * @param values by key, for those that refuse a sample of their type.
 */
export function sampleOf(
  whole: Schema,
  values: Readonly<Record<string, unknown>> = {},
): { keys: string[]; sample: unknown } {
  const keys: string[] = [];
  function sample(schema: Schema, path: string): unknown {
    if (schema.$ref) {
      const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
      return sample(whole.$defs?.[name] ?? {}, path);
    }
    const choices = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
    const { properties = {}, additionalProperties: more } =
      [schema, ...choices].find((one) => one.properties) ?? schema;
    const entries = Object.entries(properties).map(([key, inner]) => {
      keys.push(`${path}${key}`);
      return [key, sample(inner, `${path}${key}.`)] as const;
    });
    if (typeof more === "object") entries.push(["sample", sample(more, `${path}sample.`)]);
    if (entries.length > 0) return Object.fromEntries(entries);
    const given = values[path.slice(0, -1)] ?? schema.default ?? schema.enum?.[0];
    if (given !== undefined) return given;
    if (choices.length > 0) return sample(choices[0] ?? {}, path);
    return { boolean: false, integer: 1, number: 1, array: [], object: {} }[schema.type ?? ""] ?? "100";
  }
  const { remotes: _, ...properties } = whole.properties ?? {};
  return { sample: sample({ ...whole, properties }, ""), keys };
}
