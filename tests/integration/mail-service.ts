/** Owns a mail provider for tests, with the API that the functions use (Mailpit's): what it takes, it keeps. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  files: { name: string; type: string; text: string }[];
}

export interface MailService {
  url: string;
  received: Received[];
  close(): void;
}

/** @param answer the status of each response; mails that are answered by another than 200 are not taken */
export async function startMailService(
  answer: () => Promise<number> = async () => 200,
): Promise<MailService> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const mail = JSON.parse(Buffer.concat(chunks).toString());
    const status = await answer();
    if (status === 200) {
      received.push({
        to: mail.To[0].Email,
        subject: mail.Subject,
        text: mail.Text,
        html: mail.HTML,
        headers: mail.Headers,
        files: mail.Attachments.map((file: { Filename: string; ContentType: string; Content: string }) => ({
          name: file.Filename,
          type: file.ContentType,
          text: Buffer.from(file.Content, "base64").toString(),
        })),
      });
    }
    response.writeHead(status, { "content-type": "application/json" }).end('{"ID":"1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received, close: () => void server.close() };
}
