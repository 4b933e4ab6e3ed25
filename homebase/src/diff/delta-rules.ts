/** Owns the rules by which pg-delta leaves out and takes in what its own policy for Supabase does not. */

/** The functions that the dashboard makes when queues are opened to the API; pg-delta takes them for the platform's. */
export const QUEUES_OF_THE_API = {
  match: {
    any: [
      { schema: ["pgmq_public"] },
      { all: [{ kind: "schema" }, { name: ["pgmq_public"] }] },
      { target: { schema: ["pgmq_public"] } },
      { target: { kind: "schema", name: ["pgmq_public"] } },
    ],
  },
  action: "include" as const,
};

/** Logins of a few minutes that the Management API makes, and the stack's own: they come and go meanwhile. */
const LOGIN_ROLES = ["cli_login_*", "homebase_*"];
export const NO_LOGIN_ROLES = [
  {
    match: {
      all: [
        { kind: "membership" },
        {
          any: [
            { idField: { field: "member", glob: LOGIN_ROLES } },
            { idField: { field: "role", glob: LOGIN_ROLES } },
          ],
        },
      ],
    },
    action: "exclude" as const,
  },
  { match: { all: [{ kind: "role" }, { name: LOGIN_ROLES }] }, action: "exclude" as const },
];

/** Assistants are granted what they read in the running database alone. */
export const RIGHTS_OF_LOGINS = {
  match: { all: [{ kind: "acl" as const }, { idField: { field: "grantee", glob: LOGIN_ROLES } }] },
  action: "exclude" as const,
};

/** The rule that leaves out whatever is not in these schemas. */
export function onlySchemas(schemas: string[]) {
  return { match: { not: { any: inside(schemas) } }, action: "exclude" as const };
}

/** The objects of these schemas, the schemas themselves, and the comments on and rights to both. */
export function inside(schemas: string[]) {
  return [
    { schema: schemas },
    { all: [{ kind: "schema" as const }, { name: schemas }] },
    { target: { schema: schemas } },
    { target: { kind: "schema" as const, name: schemas } },
  ];
}
