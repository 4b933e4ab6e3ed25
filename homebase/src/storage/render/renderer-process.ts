/** Owns the process that renders pictures (renderer.ts starts it): a job in, a picture or its failure out. */
import { type Job, render } from "./pictures.ts";
import type { Answer } from "./renderer.ts";

const respond = (answer: Answer) => process.send?.(answer);

process.on("message", (job: Job) => {
  render(job).then(respond, (error: unknown) => respond({ failure: String(error) }));
});
// The library's threads would keep a process that only exits.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
