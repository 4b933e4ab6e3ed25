/** Owns the helper types at the end of a type file: `Tables<"notes">`, or `Tables<{ schema: "app" }, "notes">`. */

const KINDS = [
  { name: "Tables", where: ["Tables", "Views"], part: "Row" },
  { name: "TablesInsert", where: ["Tables"], part: "Insert" },
  { name: "TablesUpdate", where: ["Tables"], part: "Update" },
  { name: "Enums", where: ["Enums"] },
  { name: "CompositeTypes", where: ["CompositeTypes"] },
];

/** The text of all helpers. */
export const HELPERS = `type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

type InSchema = { schema: keyof DatabaseWithoutInternals }

${KINDS.map(({ name, where, part }) => {
  const of = (schema: string) => where.map((one) => `${schema}["${one}"]`).join(" & ");
  const chosen = `DatabaseWithoutInternals[Where["schema"]]`;
  const result = (all: string, each: string) =>
    part === undefined
      ? `(${all})[${each}]`
      : `(${all})[${each}] extends { ${part}: infer Part } ? Part : never`;
  return `export type ${name}<
  Where extends keyof (${of("DefaultSchema")}) | InSchema,
  Name extends Where extends InSchema ? keyof (${of(chosen)}) : never = never,
> = Where extends InSchema
  ? ${result(of(chosen), "Name")}
  : Where extends keyof (${of("DefaultSchema")})
    ? ${result(of("DefaultSchema"), "Where")}
    : never
`;
}).join("\n")}`;
