/** Owns the explanation of a request that a Backend of this process has answered, with what the running stack knows. */
import type { Backend } from "../backend/backend.ts";
import type { Config } from "../config/config.ts";
import { askedOf, type ExplainRequestOptions, type Explanation, explain, tracing } from "../explain/index.ts";
import type { ReadRecord } from "../http/records.ts";
import { connected } from "../postgres/connected.ts";
import { explainLogin } from "../postgres/explain-login.ts";
import type { RestService } from "../rest/service.ts";
import { apiSettings } from "./asked.ts";

/** REST's settings and schema cache as it has them now, and the login that sees inside functions. */
export function runningOptions(
  backend: Pick<Backend, "database" | "service">,
  config: Config,
): ExplainRequestOptions {
  const { settings, cache } = (backend.service("rest") ?? {}) as Partial<RestService>;
  return {
    api: apiSettings(config),
    withTrace: tracing(() => explainLogin(backend.database)),
    ...(settings && cache ? { running: { settings, cache } } : {}),
  };
}

/** @param record with its values. @throws ExplainError */
export async function whyRequest(
  backend: Pick<Backend, "database" | "service">,
  config: Config,
  record: ReadRecord,
  options: Pick<ExplainRequestOptions, "row" | "replay"> = {},
): Promise<Explanation> {
  const asked = askedOf(record);
  return connected(backend.database.connection("postgres"), (client) =>
    explain(client, asked, { ...runningOptions(backend, config), ...options }),
  );
}
