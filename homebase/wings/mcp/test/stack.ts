/** Owns a running stack with its MCP endpoint, as an assistant reaches it. */

import { Project } from "../../../test/cli/project.ts";
import { PROJECT } from "../../../test/explain/project.ts";

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a message of JSON-RPC, which each test knows
  body: any;
}

/** A project of notes in teams (explain/project.ts), started by `start`. */
export class McpStack {
  readonly project: Project;
  url = "";
  token = "";
  #last = 0;

  constructor(files: Record<string, string> = {}) {
    this.project = new Project({ "migrations/20260101000000_notes.sql": PROJECT, ...files });
  }

  async start(): Promise<void> {
    await this.project.startUntil(/"kind":"ready"/, "--json");
    const { stdout } = await this.project.run("status", "--json");
    const variables = JSON.parse(stdout) as Record<string, string>;
    this.url = variables.MCP_URL ?? "";
    this.token = variables.MCP_TOKEN ?? "";
  }

  /** One POST, with the token unless other headers are given. */
  async post(message: unknown, headers: Record<string, string> = {}, query = ""): Promise<Reply> {
    const response = await fetch(`${this.url}${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  }

  /** The response to a request by an earlier version's rules. */
  ask(method: string, params: object = {}, query = ""): Promise<Reply> {
    return this.post({ jsonrpc: "2.0", id: ++this.#last, method, params }, {}, query);
  }

  /** A tool's text, and whether it is an error. */
  async tool(name: string, input: object = {}): Promise<{ text: string; isError: boolean }> {
    const { body } = await this.ask("tools/call", { name, arguments: input });
    const { content, isError = false } = body.result as { content: { text: string }[]; isError?: boolean };
    return { text: content.map(({ text }) => text).join(""), isError };
  }

  /** The text of a tool that succeeds. @throws with its error. */
  async call(name: string, input: object = {}): Promise<string> {
    const { text, isError } = await this.tool(name, input);
    if (isError) throw new Error(`${name}: ${text}`);
    return text;
  }
}

/** The data between the marks. @throws where there are none. */
export function dataOf(text: string): string {
  const found = /^The lines from <data-([\w-]{36})> .*\n<data-\1>\n([\s\S]*)\n<\/data-\1>$/.exec(text);
  if (!found) throw new Error(`Not marked as data: ${text}`);
  return found[2] ?? "";
}
