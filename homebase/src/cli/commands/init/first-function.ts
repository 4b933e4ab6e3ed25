/** Owns the text of a new function. */

/** A function that greets, with how it is called. */
export function firstFunction(port: number, name: string): string {
  return `// POST http://127.0.0.1:${port}/functions/v1/${name}, with the key that the start prints as the header "apikey".
Deno.serve(async (request) => {
  const { name = "world" } = await request.json().catch(() => ({}));
  return Response.json({ message: \`Hello \${name}\` });
});
`;
}
