import { nothing } from "npm:@homebase-tests/there-is-no-such-package@9.9.9";

Deno.serve(() => new Response(nothing));
