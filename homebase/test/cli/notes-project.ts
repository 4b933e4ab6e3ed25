/** Owns the small project of the developer stack's tests: one table, one row of seed. */

/** Files below `supabase/`. */
export const NOTES_PROJECT: Record<string, string> = {
  "migrations/20260101000000_notes.sql":
    "create table public.notes (id int primary key, body text);\nalter table public.notes enable row level security;\ncreate policy everyone on public.notes using (true) with check (true);\n",
  "seed.sql": "insert into public.notes values (1, 'seeded');\n",
};
