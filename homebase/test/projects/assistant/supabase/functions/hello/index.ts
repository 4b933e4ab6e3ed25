import { greet } from "@app/greet";
import { corsHeaders } from "../_shared/cors.ts";

if (import.meta.main) {
  Deno.serve((request) =>
    request.method === "OPTIONS"
      ? new Response("ok", { headers: corsHeaders })
      : Response.json(
          { words: greet("Ada"), key: Deno.env.get("SUPABASE_ANON_KEY") !== undefined },
          { headers: corsHeaders },
        ),
  );
}
