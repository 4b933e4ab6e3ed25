/** Owns GET /admin/audit: the audit trail, newest first. */
import type { ServiceResponse } from "../../http/exchange.ts";
import { read } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { validationFailed } from "../kit/errors.ts";
import { pageHeaders, readPage } from "../kit/paging.ts";
import { type AuthRequest, json } from "../kit/request-fields.ts";
import { rfc3339, sorted } from "../users/user.ts";

const CONDITIONS: Record<string, string> = {
  author: "(payload ->> 'actor_username' ilike $1 or payload ->> 'actor_name' ilike $1)",
  action: "payload ->> 'action' ilike $1",
  type: "payload ->> 'log_type' ilike $1",
};

interface Entry {
  id: string;
  payload: unknown;
  created_at: string;
  ip_address: string;
}

/** `query` is `author:x`, `action:x` or `type:x`. */
export async function listAudit(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const page = readPage(request.query);
  const [field = "", wanted] = (request.query.get("query") ?? "").split(":", 2);
  if (field !== "" && (!Object.hasOwn(CONDITIONS, field) || wanted === undefined)) {
    throw validationFailed("Invalid query scope: expected author, action or type");
  }
  const where = field === "" ? "$1::text is not null" : CONDITIONS[field];
  const [found] = await read<{ total: string; entries: Entry[] }>(
    auth.context.database,
    `select (select count(*) from audit_log_entries where ${where}) as total,
       coalesce((select json_agg(e order by e.created_at desc) from (
         select id, payload, created_at, ip_address from audit_log_entries where ${where}
         order by created_at desc limit $2 offset $3) e), '[]') as entries`,
    [`%${wanted ?? ""}%`, page.size, (page.number - 1) * page.size],
  );
  const entries = (found?.entries ?? []).map((entry) => ({
    id: entry.id,
    payload: sorted(entry.payload),
    created_at: rfc3339(entry.created_at),
    ip_address: entry.ip_address,
  }));
  return json(200, entries, pageHeaders("/admin/audit", request.query, page, Number(found?.total ?? 0)));
}
