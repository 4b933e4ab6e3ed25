/** Owns the corpus of policies whose explanations are read for clear sentences: a base, and sets of policies of one table. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ANA = "00000000-0000-4000-8000-0000000000a1";
export const BEN = "00000000-0000-4000-8000-0000000000b2";

/** The other tables and functions, and the table `things`, whose policies the sets are. */
export const BASE = `${readFileSync(join(import.meta.dirname, "base.sql"), "utf8")}
create table public.things (id int primary key, org int, author uuid, public boolean default false, status text default 'draft',
  locked boolean default false, publish_at timestamptz, expires_at timestamptz, folder int, editors uuid[], labels text[],
  meta jsonb default '{}', min_age int default 18);
insert into public.things (id, org, author, status, locked, folder, labels) values
  (1, 1, '${ANA}', 'draft', false, 1, '{work}'), (2, 2, '${BEN}', 'published', true, 3, '{open}'), (3, 3, null, 'deleted', false, null, null);
alter table public.things enable row level security;
grant select, insert, update, delete on public.things to anon, authenticated`;

export interface PolicySet {
  /** Its file and what the comment above it says. */
  name: string;
  sql: string;
}

export function policySets(): PolicySet[] {
  const files = readdirSync(import.meta.dirname).filter((one) => one.endsWith(".sql") && one !== "base.sql");
  return files.flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(/^-- (.*)\n((?:(?!-- ).*\n)+)/gm)].map(
      ([, name = "", sql = ""]) => ({ name: `${file.replace(".sql", "")}: ${name}`, sql }),
    ),
  );
}
