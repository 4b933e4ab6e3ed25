/** Owns reading as somebody: the caller that a lens stands for, in REST's own transaction. */
import type pg from "pg";
import { type AsOptions, as, type Lens as Caller, type Prepared } from "../../../../src/rest/execute/as.ts";
import type { RestService } from "../../../../src/rest/service.ts";
import { tokenOf } from "../../../../src/tools/token-of.ts";
import type { Lens } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import { inDatabase, type Source, whileAsked } from "../owner-connections.ts";

/** The caller that a lens stands for; undefined for postgres. */
export async function callerOf(source: Source, lens: Lens): Promise<Caller | undefined> {
  if (lens.kind === "postgres") return undefined;
  if (lens.kind === "role") return { role: lens.role, claims: { role: lens.role } };
  return inDatabase(source, (client) => tokenOf(client, lens.id, source.backend.config));
}

/** @throws CallRefused where REST does not run */
export function preparedOf({ backend }: Source): Prepared {
  const { settings, cache } = (backend.service("rest") ?? {}) as Partial<RestService>;
  if (settings && cache) return { settings, cache };
  throw new CallRefused(503, "REST does not run, or has not read the schema yet: nobody gets rows by it.");
}

/** Calls `work` in the transaction that REST would open for a caller. @throws CallRefused where REST does not run */
export async function asCaller<T>(
  source: Source,
  caller: Caller,
  work: (client: pg.ClientBase) => Promise<T>,
  options: AsOptions,
): Promise<T> {
  return as(
    source.backend.database,
    preparedOf(source),
    caller,
    (client) => whileAsked(source, client, () => work(client)),
    options,
  );
}
