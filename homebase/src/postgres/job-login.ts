/**
 * Owns the login that runs the jobs of a project's own role. The stack neither knows the role's password nor changes it; a
 * job in a superuser's session would get its rights back by `reset session authorization`. So each such role gets a login
 * that may become it, begins as it, with its settings, and may do nothing else. Only session_user tells the difference.
 */
import type pg from "pg";
import type { Login } from "./connected.ts";
import type { Database } from "./database.ts";
import { JOB_PREFIX, loginPassword, ownVerifier } from "./guarded-logins.ts";

interface Owner {
  oid: string;
  mayLogIn: boolean;
  /** The login of its jobs, if a role of that name exists. */
  job: string | null;
  known: boolean;
  /** Whether the login has members: a project has made it, and its maker administers it. */
  foreign: boolean;
}

const OWNER = `select o.oid, o.rolcanlogin as "mayLogIn", j.oid as job, j.rolpassword is not null as known,
    exists (select from pg_catalog.pg_auth_members m where m.roleid = j.oid) as foreign
  from pg_catalog.pg_authid o left join pg_catalog.pg_authid j on j.rolname = '${JOB_PREFIX}' || o.oid
  where o.rolname = $1 for update of o`;

/** Gives the settings of a role ($1) to its login for jobs ($2), which does not take them over as a member. */
const SETTINGS = [
  `delete from pg_catalog.pg_db_role_setting s where s.setrole = $2::text::regrole and not exists (
     select from pg_catalog.pg_db_role_setting o
     where o.setrole = $1 and o.setdatabase = s.setdatabase and o.setconfig = s.setconfig)`,
  `insert into pg_catalog.pg_db_role_setting (setdatabase, setrole, setconfig)
   select o.setdatabase, $2::text::regrole, o.setconfig from pg_catalog.pg_db_role_setting o
   where o.setrole = $1 and not exists (
     select from pg_catalog.pg_db_role_setting s where s.setrole = $2::text::regrole and s.setdatabase = o.setdatabase)`,
];

/** How to log in for a job of `role`. @throws Error for a role that may not log in */
export async function jobLogin(database: Database, role: string): Promise<Login> {
  const { secret } = database.address;
  if (role === "supabase_admin") return database.connection(role);
  const asPostgres = database.connection("postgres");
  if (role === "postgres" || secret === undefined) return { ...asPostgres, user: role };
  const login = await database.transaction("supabase_admin", (client) => ensureLogin(client, secret, role));
  return {
    ...asPostgres,
    restore: undefined,
    user: login,
    password: loginPassword(secret, login),
    options: `-c role=${role.replace(/[\\\s]/g, "\\$&")}`,
  };
}

async function ensureLogin(client: pg.ClientBase, secret: string, role: string): Promise<string> {
  const [owner] = (await client.query<Owner>(OWNER, [role])).rows;
  // pg_cron's own message.
  if (!owner?.mayLogIn) throw new Error(`role "${role}" is not permitted to log in`);
  const login = `${JOB_PREFIX}${owner.oid}`;
  if (owner.foreign) await client.query(`alter role ${login} rename to ${login}_${owner.job}`);
  if (owner.job === null || owner.foreign) await client.query(`create role ${login} login noinherit`);
  if (!owner.known || owner.foreign) {
    await client.query(`alter role ${login} password ${client.escapeLiteral(ownVerifier(secret, login))}`);
    await client.query(`grant ${client.escapeIdentifier(role)} to ${login} with inherit false`);
  }
  for (const text of SETTINGS) await client.query(text, [owner.oid, login]);
  return login;
}
