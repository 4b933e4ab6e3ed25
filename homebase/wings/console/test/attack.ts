/** Owns what a hostile page does to the console: it runs in a browser, and is written into pages as text. */
import { CALLS as SERVED } from "../server/calls.ts";

/** Every path that takes a body, by the server's own table, and others. */
export const CALLS = [
  "/enter",
  "/upload",
  ...Object.keys(SERVED).map((name) => `/api/${name}`),
  "/api/",
  "/",
];

/** @returns what it won; each member says how the console should have kept it out. */
export async function attack(own: string, token: string, calls: readonly string[]) {
  const read: string[] = [];
  // Of HTML in the document of a picture, too.
  const element = <Name extends keyof HTMLElementTagNameMap>(name: Name) =>
    document.createElementNS("http://www.w3.org/1999/xhtml", name) as HTMLElementTagNameMap[Name];
  const ask = (name: string, init: RequestInit) =>
    fetch(own + name, init).then(
      async (response) => {
        if (response.type !== "opaque") read.push(`${name} ${response.status} ${await response.text()}`);
      },
      () => undefined,
    );
  const json = { "content-type": "application/json", authorization: `Bearer ${token}` };
  for (const name of calls) {
    await ask(name, { method: "POST", headers: json, body: "{}" });
    await ask(name, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" });
    await ask(name, { method: "POST", mode: "no-cors", body: "{}", credentials: "include" });
    await ask(name, { method: "GET" });
    await ask(name, {
      method: "PUT",
      headers: { ...json, "content-type": "application/octet-stream" },
      body: "x",
    });
    const form = element("form");
    form.method = "post";
    form.action = own + name;
    form.target = "sink";
    const sink = element("iframe");
    sink.name = "sink";
    document.documentElement.append(sink, form);
    form.submit();
    const prefetch = element("link");
    prefetch.rel = "prefetch";
    prefetch.href = own + name;
    document.documentElement.append(prefetch);
  }
  const within = (look: () => string) => {
    try {
      return look();
    } catch {
      return "closed";
    }
  };
  const frame = element("iframe");
  frame.src = own;
  document.documentElement.append(frame);
  const window2 = window.open(own);
  const channel = new BroadcastChannel("console");
  const heard = new Promise<string>((resolve) => {
    channel.onmessage = ({ data }) => resolve(JSON.stringify(data));
    channel.postMessage({ kind: "ask" });
    setTimeout(() => resolve("nothing"), 1_000);
  });
  const answer = await heard;
  const worker = await Promise.resolve(navigator.serviceWorker?.register(`${own}/sw.js`)).then(
    (registered) => (registered ? "registered" : "failed"),
    () => "failed",
  );
  return {
    read,
    frame: within(() => frame.contentDocument?.body?.innerText || "closed"),
    opener: within(() => (window2 && !window2.closed ? window2.document.title || "closed" : "closed")),
    channel: answer,
    worker,
  };
}
