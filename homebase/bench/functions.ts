/** Owns the measurement of functions: the first call, which starts a process, and warm ones. */
import type { Target } from "./target.ts";

const WARM_CALLS = 300;

/** Calls the project's function `hello`. Milliseconds. */
export async function functionCalls(target: Target): Promise<{ cold: number[]; warm: number[] }> {
  const call = async () => {
    const began = performance.now();
    const response = await fetch(`${target.url}/functions/v1/hello`, {
      headers: { apikey: target.publishableKey },
    });
    const text = await response.text();
    if (text !== "hello") throw new Error(`The function answered ${response.status} ${text}`);
    return performance.now() - began;
  };
  const cold = [await call()];
  const warm: number[] = [];
  for (let count = 0; count < WARM_CALLS; count += 1) warm.push(await call());
  return { cold, warm: warm.slice(WARM_CALLS / 10) };
}
