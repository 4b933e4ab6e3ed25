/** Owns the list of users, and what the page does with one: by the endpoints of administrators. */
import type { DeveloperStart } from "../../../../src/developer/stack-wing.ts";
import type { DataUser, UserAct } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import { inDatabase, type Source } from "../owner-connections.ts";

const PAGE = 200;
/** As GoTrue takes it: a hundred years. */
const FOR_GOOD = "876000h";

const USERS = `select u.id::text, u.email, u.phone, u.role, u.is_anonymous as anonymous,
    array(select i.provider from auth.identities i where i.user_id = u.id order by i.created_at) as providers,
    u.created_at::text as created, u.last_sign_in_at::text as "lastSignIn",
    (u.email_confirmed_at is not null or u.phone_confirmed_at is not null) as confirmed,
    case when u.banned_until > now() then u.banned_until::text end as "bannedUntil",
    (select count(*)::int from auth.sessions s where s.user_id = u.id) as sessions,
    (select count(*)::int from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified') as factors
  from auth.users u
  where $1 = '' or u.id::text = $1 or strpos(lower(coalesce(u.email, '')), lower($1)) > 0 or strpos(coalesce(u.phone, ''), $1) > 0
  order by u.created_at desc, u.id limit ${PAGE + 1}`;

export async function usersOf(source: Source, text: string): Promise<{ users: DataUser[]; more: boolean }> {
  const { rows } = await inDatabase(source, (client) => client.query<DataUser>(USERS, [text.trim()]));
  return { users: rows.slice(0, PAGE), more: rows.length > PAGE };
}

/** @throws CallRefused with what Auth says */
export async function actOnUser(
  start: DeveloperStart,
  act: UserAct,
): Promise<{ link?: string; id?: string }> {
  const put = (body: unknown) => asked(start, "PUT", `users/${"id" in act ? act.id : ""}`, body);
  switch (act.do) {
    case "make": {
      const { email, password } = act;
      const made = await asked(start, "POST", "users", { email, password, email_confirm: true });
      return { id: String(made.id) };
    }
    case "ban":
    case "unban":
      await put({ ban_duration: act.do === "ban" ? FOR_GOOD : "none" });
      return {};
    case "set password":
      await put({ password: act.password });
      return {};
    case "delete":
      await asked(start, "DELETE", `users/${act.id}`, {}).catch(async (error: unknown) => {
        // Auth says only that it failed, and Postgres what keeps the user. Nothing is committed.
        await inDatabase(start, async (client) => {
          await client.query("begin; set constraints all immediate");
          await client.query("delete from auth.users where id = $1", [act.id]);
        });
        throw error;
      });
      return {};
    case "sign out":
      // As GoTrue ends them: refresh tokens and the like go with the sessions.
      await inDatabase({ backend: start.backend }, (client) =>
        client.query("delete from auth.sessions where user_id = $1", [act.id]),
      );
      return {};
    case "open": {
      const { email, banned_until: ban } = await asked(start, "GET", `users/${act.id}`);
      if (typeof ban === "string" && Date.parse(ban) > start.backend.clock.now())
        throw new CallRefused(422, "This user is banned, so no link signs them in. Lift the ban first.");
      if (typeof email !== "string" || email === "")
        throw new CallRefused(422, "A sign-in link needs an email address, and this user has none.");
      const made = await asked(start, "POST", "generate_link", { type: "magiclink", email });
      return { link: String(made.action_link) };
    }
  }
}

async function asked(
  { backend }: DeveloperStart,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const { secretKey } = backend.keys;
  // Not the public address, which may be another machine's.
  const response = await fetch(`http://127.0.0.1:${backend.port}/auth/v1/admin/${path}`, {
    method,
    headers: { apikey: secretKey, authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok) return answer;
  throw new CallRefused(422, String(answer.msg ?? answer.message ?? `Auth answered ${response.status}.`));
}
