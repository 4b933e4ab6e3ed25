/**
 * Owns: which API keys a function uses: the project's publishable and secret keys (a JSON object of names and keys), or
 * the legacy JWTs where a project has no others. https://supabase.com/docs/guides/functions/secrets
 */

const variables = {
  publishable: { keys: "SUPABASE_PUBLISHABLE_KEYS", legacy: "SUPABASE_ANON_KEY" },
  secret: { keys: "SUPABASE_SECRET_KEYS", legacy: "SUPABASE_SERVICE_ROLE_KEY" },
} as const;

/**
 * The key named `default`, else the first one, else the legacy key.
 * @param read gives an environment variable
 * @throws where neither variable holds a key
 */
export function apiKey(kind: keyof typeof variables, read: (name: string) => string | undefined): string {
  const { keys, legacy } = variables[kind];
  const key = fromObject(read(keys)) ?? read(legacy);
  if (!key) throw new Error(`Neither ${keys} nor ${legacy} holds a key`);
  return key;
}

function fromObject(text: string | undefined): string | undefined {
  let named: unknown;
  try {
    named = JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
  if (typeof named !== "object" || named === null || Array.isArray(named)) return undefined;
  const entries = Object.entries(named).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
  );
  return (entries.find(([name]) => name === "default") ?? entries[0])?.[1];
}
