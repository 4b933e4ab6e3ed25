import { mayRead } from "@acme/rules";

Deno.serve(async (request) => Response.json({ read: mayRead((await request.json()).role) }));
