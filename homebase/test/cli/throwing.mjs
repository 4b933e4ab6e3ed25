/** Preloaded into a command: each SIGWINCH throws outside any boundary, from the next kind of source. */
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { Readable } from "node:stream";
import { Worker } from "node:worker_threads";

const boom = () => {
  throw new Error("boom");
};
const sources = [
  () => setTimeout(boom, 0),
  () => queueMicrotask(boom),
  () => void Promise.reject(new Error("boom")),
  () => {
    const server = createServer(() => {
      server.close();
      boom();
    });
    server.listen(0, "127.0.0.1", () =>
      connect(server.address().port, "127.0.0.1")
        .on("error", () => {})
        .unref(),
    );
  },
  () =>
    new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true }).on(
      "message",
      boom,
    ),
  () => spawn("true", { stdio: "ignore" }).on("exit", boom),
  () => Readable.from(["x"]).on("data", boom),
];
let next = 0;
process.on("SIGWINCH", () => sources[next++ % sources.length]());
