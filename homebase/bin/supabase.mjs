#!/usr/bin/env node
/**
 * The command `supabase` that `homebase link-cli` puts into a project's node_modules/.bin: `homebase supabase`.
 *
 * JavaScript for Node 20.19, as homebase.mjs.
 */
import process from "node:process";

process.argv.splice(2, 0, "supabase");
await import("./homebase.mjs");
