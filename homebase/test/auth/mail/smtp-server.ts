/** Owns a minimal SMTP server for tests (RFC 5321, AUTH PLAIN of RFC 4954). */

import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";

/** A received mail. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** User and password sent before it. */
  login: string;
  source: string;
}

/** A minimal SMTP server. */
export class SmtpServer {
  readonly mails: ReceivedMail[] = [];
  /** Rejects recipients when set. */
  refusing = false;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<SmtpServer> {
    const server = createServer();
    const smtp = new SmtpServer(server);
    server.on("connection", (socket) => smtp.#serve(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return smtp;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    let mail: ReceivedMail = { from: "", to: [], login: "", source: "" };
    let reading = false;
    let rest = "";
    const say = (line: string) => socket.write(`${line}\r\n`);
    say("220 test ESMTP");
    socket.on("data", (chunk: Buffer) => {
      rest += chunk.toString("utf8");
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (reading) {
          if (line === ".") {
            reading = false;
            this.mails.push(mail);
            mail = { from: "", to: [], login: mail.login, source: "" };
            say("250 kept");
          } else mail.source += `${line.replace(/^\./, "")}\n`;
          continue;
        }
        const verb = line.slice(0, 4).toUpperCase();
        if (verb === "EHLO") say("250-test\r\n250 AUTH PLAIN");
        else if (verb === "AUTH") {
          mail.login = Buffer.from(line.split(" ")[2] ?? "", "base64")
            .toString()
            .split("\0")
            .slice(1)
            .join(":");
          say("235 welcome");
        } else if (verb === "MAIL") {
          mail.from = /<(.*)>/.exec(line)?.[1] ?? "";
          say("250 ok");
        } else if (verb === "RCPT" && this.refusing) say("550 nobody here");
        else if (verb === "RCPT") {
          mail.to.push(/<(.*)>/.exec(line)?.[1] ?? "");
          say("250 ok");
        } else if (verb === "DATA") {
          reading = true;
          say("354 go on");
        } else if (verb === "QUIT") {
          say("221 bye");
          socket.end();
        } else say("250 ok");
      }
    });
    socket.on("error", () => undefined);
  }
}
