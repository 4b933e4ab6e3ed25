const page = await Deno.readTextFile(new URL("./receipt.html", import.meta.url));

Deno.serve(() => new Response(page, { headers: { "content-type": "text/html" } }));
