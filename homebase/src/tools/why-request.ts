/** Owns the explanation of a request that a Backend of this process has answered. */
import type { Backend } from "../backend/backend.ts";
import type { Config } from "../config/config.ts";
import { askedOf, type Explanation, explain, tracing } from "../explain/index.ts";
import type { ReadRecord } from "../http/records.ts";
import { connected } from "../postgres/connected.ts";
import { explainLogin } from "../postgres/explain-login.ts";
import { apiSettings } from "./asked.ts";

/** @param record with its values. @throws ExplainError */
export async function whyRequest(
  { database }: Pick<Backend, "database">,
  config: Config,
  record: ReadRecord,
  options: { row?: string } = {},
): Promise<Explanation> {
  const asked = askedOf(record);
  return connected(database.connection("postgres"), (client) =>
    explain(client, asked, {
      api: apiSettings(config),
      withTrace: tracing(() => explainLogin(database)),
      ...options,
    }),
  );
}
