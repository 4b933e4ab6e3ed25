/** Owns reading responses of other servers (hooks, providers, captcha services) with a size limit. */

/** A response that exceeds the limit. */
export class AnswerTooLarge extends Error {
  constructor(limit: number) {
    super(`The answer is larger than ${limit} bytes.`);
  }
}

/** Larger than any provider's response about an account, its keys or its configuration. */
const PROVIDER_LIMIT = 1024 * 1024;

/** The text of a response. @throws AnswerTooLarge, or the network's error */
export async function answerText(response: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the response.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limit) throw new AnswerTooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The JSON of a provider's response. @throws AnswerTooLarge, SyntaxError */
export async function answerJson(response: Response): Promise<unknown> {
  return JSON.parse(await answerText(response, PROVIDER_LIMIT));
}
