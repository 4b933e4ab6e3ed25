/** Owns the roles of a server as SQL: those that are not Supabase's own, without passwords. */
import type pg from "pg";
import { PROJECT_ROLES } from "../../postgres/project-roles.ts";
import { quote, settingValue } from "../../postgres/quoting.ts";

/** What a role may be told to be; the server, which may be somebody else's, names those that it is. */
const ATTRIBUTES = new Set(
  "LOGIN NOLOGIN INHERIT NOINHERIT CREATEROLE CREATEDB BYPASSRLS REPLICATION".split(" "),
);

/** The statements that make the same roles, with their settings and memberships. Empty where there are none. */
export async function dumpRoles(client: pg.Client): Promise<string> {
  const { rows: roles } = await client.query<{
    rolname: string;
    attributes: string[];
    limit: number;
    settings: string[] | null;
  }>(
    `select rolname, array_remove(array[
         case when rolcanlogin then 'LOGIN' else 'NOLOGIN' end, case when rolinherit then 'INHERIT' else 'NOINHERIT' end,
         case when rolcreaterole then 'CREATEROLE' end, case when rolcreatedb then 'CREATEDB' end,
         case when rolbypassrls then 'BYPASSRLS' end, case when rolreplication then 'REPLICATION' end], null) as attributes,
       rolconnlimit as limit, s.setconfig as settings
     from pg_roles r left join pg_db_role_setting s on s.setrole = r.oid and s.setdatabase = 0
     where ${PROJECT_ROLES} order by rolname`,
  );
  const { rows: members } = await client.query<Membership>(
    `select g.rolname as role, m.rolname as member, bool_or(a.admin_option) as admin,
       bool_or(${optionOf("inherit_option")}) as inherits, bool_and(m.rolinherit) as usual,
       bool_or(${optionOf("set_option")}) as becomes
     from pg_auth_members a join pg_roles g on g.oid = a.roleid join pg_roles m on m.oid = a.member
     where (m.rolname <> 'postgres' or ${GIVEN_TO_POSTGRES}) and (g.oid in (select oid from pg_roles where ${PROJECT_ROLES})
       or m.oid in (select oid from pg_roles where ${PROJECT_ROLES}))
     group by 1, 2 order by 1, 2`,
  );
  const lines = roles.flatMap(({ rolname, attributes, limit, settings }) => [
    `CREATE ROLE ${quote(rolname)};`,
    `ALTER ROLE ${quote(rolname)} WITH ${attributes.filter((one) => ATTRIBUTES.has(one)).join(" ")}${limit < 0 ? "" : ` CONNECTION LIMIT ${Number(limit)}`};`,
    ...(settings ?? []).map((setting) => {
      const [name, value] = [setting.slice(0, setting.indexOf("=")), setting.slice(setting.indexOf("=") + 1)];
      return `ALTER ROLE ${quote(rolname)} SET ${quote(name)} TO ${settingValue(name, value)};`;
    }),
  ]);
  return [...lines, ...members.map(granted)].map((line) => `${line}\n`).join("");
}

interface Membership {
  role: string;
  member: string;
  admin: boolean;
  /** Null on a server before Postgres 16, where the member decides. */
  inherits: boolean | null;
  /** What `inherits` is without a word. */
  usual: boolean;
  becomes: boolean | null;
}

/** An option of a membership, which Postgres has had since 16. */
const optionOf = (name: string) => `(to_jsonb(a) ->> '${name}')::boolean`;
/**
 * Postgres makes the creator of a role its administrator, who can neither use the role's rights nor become the role: that
 * row comes with CREATE ROLE, and one with such an option does not. An earlier server has no such rows.
 */
const GIVEN_TO_POSTGRES = `(${optionOf("inherit_option")} or ${optionOf("set_option")})`;

function granted({ role, member, admin, inherits, usual, becomes }: Membership): string {
  const options = [
    // The administrator of a role need not be made one again.
    ...(admin && member !== "postgres" ? ["ADMIN OPTION"] : []),
    ...(inherits !== null && inherits !== usual ? [`INHERIT ${inherits ? "TRUE" : "FALSE"}`] : []),
    ...(becomes === false ? ["SET FALSE"] : []),
  ];
  return `GRANT ${quote(role)} TO ${quote(member)}${options.length > 0 ? ` WITH ${options.join(", ")}` : ""};`;
}
