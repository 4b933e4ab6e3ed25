/** Every callback of an event source stands behind an error boundary, does next to nothing, or is listed with its reason. */
import { parseSync } from "vite";
import { expect, test } from "vitest";
import { sourceFiles, sourceText } from "../sources.ts";

/** Folders whose process may end: a page in a browser, commands that do not serve, and a function's own process. */
const ELSEWHERE =
  /^(?:cli|tools|wings\/(?:console\/page|copy|deploy|inspect|policies)|testing|typegen|functions\/runtime)\/|-command\.ts$/;
/** Calls that do not throw. */
const HARMLESS =
  /^(?:resolve|reject|ready|ended|fail|failed|done|reportFailure|stop|clearTimeout|clearInterval|kill|destroy|terminate|delete|end|close|resume|unref|abort|push|add|cork|uncork)$/;
/** Files with callbacks of their own kind: how many, and why they cannot end the process. */
const REVIEWED: Record<string, [count: number, reason: string]> = {
  "auth/service.ts": [1, "rejects the request that waits"],
  "backend/backend.ts": [1, "a promise of timers/promises"],
  "developer/log-file.ts": [1, "catches everything that it writes"],
  "diff/compared-database.ts": [1, "registers a listener that does nothing"],
  "background/outgoing-request.ts": [1, "counts and collects bytes"],
  "core/ring.ts": [1, "a promise of timers/promises"],
  "core/runtime.ts": [1, "settles a promise"],
  "explain/database/explanation-transaction.ts": [1, "collects notices"],
  "functions/connections.ts": [6, "forwards bytes, and catches what its reader throws"],
  "functions/proxy.ts": [2, "settles a promise"],
  "functions/service.ts": [1, "a promise of timers/promises"],
  "functions/supervisor.ts": [1, "settles a promise"],
  "functions/worker-log.ts": [2, "splits text; what it calls stands behind a boundary"],
  "wings/console/server/access.ts": [1, "a promise of timers/promises"],
  "wings/console/server/calls.ts": [1, "a promise of timers/promises"],
  "wings/console/server/sql/limited-query.ts": [3, "collects rows, and settles a promise"],
  "wings/console/server/sql/run.ts": [1, "collects notices"],
  "wings/hosted/database/front.ts": [3, "settles a promise"],
  "wings/hosted/uploaded-functions.ts": [4, "collects the parts of a form"],
  "http/exchange.ts": [4, "counts and collects bytes, or aborts a signal"],
  "http/send.ts": [1, "counts bytes"],
  "http/server.ts": [8, "listens before the start, ignores, releases, or destroys"],
  "http/stalls.ts": [1, "removes an entry"],
  "catalog/session.ts": [2, "counts bytes, and ends a session with its rejection caught"],
  "postgres/cluster/cluster-client.ts": [1, "registers a listener that does nothing"],
  "postgres/cluster/server-process.ts": [1, "settles a promise"],
  "postgres/database.ts": [1, "registers a listener that does nothing"],
  "postgres/files/run-file.ts": [1, "collects notices"],
  "realtime/channel/channel.ts": [1, "the hub's function, which stands behind a boundary"],
  "realtime/service.ts": [1, "ignores"],
  "realtime/socket/long-poll.ts": [1, "settles a promise"],
  "rest/request/large-payload-thread.ts": [1, "runs in the thread, whose error rejects its requests"],
  "rest/request/large-payload.ts": [4, "settles promises"],
  "wings/rest-server/server.ts": [1, "a promise of timers/promises"],
  "storage/disk/body-writer.ts": [3, "hashes and collects bytes"],
  "storage/render/renderer.ts": [6, "settles a promise, or forgets the process"],
  "storage/render/renderer-process.ts": [2, "runs in the process, whose end rejects its pictures"],
  "storage/objects/upload.ts": [5, "collects the fields of a form"],
  "wings/s3/body.ts": [1, "destroys a stream"],
  "wings/s3/form.ts": [5, "collects the fields of a form"],
};

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

function* walk(node: unknown): Generator<Node> {
  if (Array.isArray(node)) for (const one of node) yield* walk(one);
  else if (node !== null && typeof node === "object" && typeof (node as Node).type === "string") {
    yield node as Node;
    for (const [key, value] of Object.entries(node)) if (key !== "parent") yield* walk(value);
  }
}

const nameOf = (node: Node | undefined): string => {
  if (!node) return "";
  if (node.type === "Identifier") return String(node.name);
  if (node.type === "MemberExpression" || node.type === "StaticMemberExpression")
    return nameOf(node.property as Node);
  if (node.type === "PrivateIdentifier") return `#${String(node.name)}`;
  if (node.type === "ChainExpression") return nameOf(node.expression as Node);
  return "";
};

/** The callback of a call that registers one with an event source. */
function callbackOf(call: Node): Node | undefined {
  const callee = call.callee as Node;
  const args = call.arguments as Node[];
  const name = nameOf(callee);
  if (callee.type === "Identifier") {
    return ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"].includes(name)
      ? args[0]
      : undefined;
  }
  if (name === "nextTick") return args[0];
  const event = args[0]?.type === "Literal" && typeof args[0].value === "string";
  return event && ["on", "once", "addListener", "addEventListener"].includes(name) ? args[1] : undefined;
}

function isSafe(callback: Node, bounded: ReadonlySet<string>): boolean {
  if (callback.type === "CallExpression") return nameOf(callback.callee as Node) === "errorBoundary";
  if (callback.type === "Identifier" || callback.type === "MemberExpression") {
    return bounded.has(nameOf(callback)) || HARMLESS.test(nameOf(callback));
  }
  if (callback.type !== "ArrowFunctionExpression") return false;
  const body = callback.body as Node;
  const statements = body.type === "BlockStatement" ? (body.body as Node[]) : [body];
  return statements.every((one) => {
    const inner = one.type === "ExpressionStatement" ? (one.expression as Node) : one;
    const expression = inner.type === "ChainExpression" ? (inner.expression as Node) : inner;
    if (expression.type === "CallExpression") return HARMLESS.test(nameOf(expression.callee as Node));
    return expression.type === "AssignmentExpression" && !/Call/.test((expression.right as Node).type);
  });
}

/** Lines of a file with callbacks outside a boundary. */
function unbounded(file: string): number[] {
  const text = sourceText(file);
  const nodes = [...walk(parseSync(file, text).program)];
  const bounded = new Set(
    nodes
      .filter((node) => node.type === "VariableDeclarator" || node.type === "AssignmentExpression")
      .map((node) => [node.id ?? node.left, node.init ?? node.right] as [Node, Node | undefined])
      .filter(([, value]) => nameOf(value?.callee as Node | undefined) === "errorBoundary")
      .map(([name]) => nameOf(name)),
  );
  return nodes
    .filter((node) => node.type === "CallExpression")
    .map(callbackOf)
    .filter((callback) => callback !== undefined && !isSafe(callback, bounded))
    .map((callback) => text.slice(0, callback?.start).split("\n").length);
}

test("no event source calls code outside an error boundary", () => {
  const found: Record<string, number[]> = {};
  for (const file of sourceFiles().filter((one) => !ELSEWHERE.test(one))) {
    const lines = unbounded(file);
    if (lines.length > (REVIEWED[file]?.[0] ?? 0)) found[file] = lines;
  }
  expect(found).toEqual({});
});
