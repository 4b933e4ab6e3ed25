/** Owns: the typed environment. The defaults are the local stack's public development values. */
import { z } from "zod";

const schema = z.object({
  VITE_SUPABASE_URL: z.url().default("http://127.0.0.1:54321"),
  VITE_SUPABASE_PUBLISHABLE_KEY: z.string().min(1).default("sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH"),
  /** The token of the table that "Try it" leads to; supabase/seed.sql sets this one. */
  VITE_DEMO_INVITE: z.string().min(1).default("demo-table"),
  /** A MapLibre style with real tiles; without it maps have a plain ground that needs no server. */
  VITE_MAP_STYLE_URL: z.url().optional(),
});

/** Throws a ZodError that names the variable when one is set to something unusable. */
export const env = schema.parse(import.meta.env);
