/** Owns the reading of what other servers answer: hooks, providers, captcha services. None may fill the memory. */

/** An answer that is longer than allowed. */
export class AnswerTooLarge extends Error {
  constructor(limit: number) {
    super(`The answer is larger than ${limit} bytes.`);
  }
}

/** What a provider answers about one account, its keys or its configuration is far smaller. */
const PROVIDER_LIMIT = 1024 * 1024;

/** The text of an answer. @throws AnswerTooLarge; what the network says. */
export async function answerText(response: Response, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the rest of the answer.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limit) throw new AnswerTooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The JSON of a provider's answer. @throws AnswerTooLarge, SyntaxError */
export async function answerJson(response: Response): Promise<unknown> {
  return JSON.parse(await answerText(response, PROVIDER_LIMIT));
}
