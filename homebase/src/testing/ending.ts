/**
 * Owns how a test's process ends. Nothing of a Backend keeps it alive, so that a test that fails before `drop()` ends
 * like any other; what is still there is then removed.
 */
type Work = () => Promise<unknown>;

const works: Work[] = [];
let listens = false;

/** Calls `work` when the process has nothing left to do, the latest one first. @returns a function that withdraws it. */
export function atEnd(work: Work): () => void {
  if (!listens) process.on("beforeExit", () => void runAll());
  listens = true;
  works.push(work);
  return () => {
    const at = works.indexOf(work);
    if (at >= 0) works.splice(at, 1);
  };
}

async function runAll(): Promise<void> {
  for (let work = works.pop(); work; work = works.pop()) await held(work).catch(() => undefined);
}

const LONG_MS = 2 ** 30;

/** Keeps the process alive until `work` is done. */
export async function held<Result>(work: () => Promise<Result>): Promise<Result> {
  const hold = setInterval(() => {}, LONG_MS);
  try {
    return await work();
  } finally {
    clearInterval(hold);
  }
}
