/** Owns a small OpenID Connect provider over HTTP, and a similar GitHub, for tests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** The account of the next sign-in. */
export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  nonce?: string;
  /** Claims of the provider's own. */
  groups?: string[];
  salary?: number;
}

/** A small OpenID Connect provider. */
export class OidcProvider {
  person: Person = { sub: "1" };
  /** Forms received by the token endpoint. */
  readonly exchanges: URLSearchParams[] = [];
  /** The token endpoint's response instead of tokens, when set. */
  refusal: number | undefined;
  readonly #server: Server;
  readonly #keys: Awaited<ReturnType<typeof generateKeyPair>>;

  private constructor(server: Server, keys: Awaited<ReturnType<typeof generateKeyPair>>) {
    this.#server = server;
    this.#keys = keys;
  }

  static async open(): Promise<OidcProvider> {
    const keys = await generateKeyPair("RS256");
    const server = createServer();
    const provider = new OidcProvider(server, keys);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      void provider.#answer(request).then(([status, value]) => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** An ID token signed with the provider's own key, or with another one. */
  async idToken(claims: JWTPayload, lifetime = 3_600, key = this.#keys.privateKey): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ iss: this.url, aud: "client", iat: now, exp: now + lifetime, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .sign(key);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<[number, unknown]> {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    switch (request.url) {
      case "/.well-known/openid-configuration":
        return [
          200,
          {
            issuer: this.url,
            authorization_endpoint: `${this.url}/authorize?tenant=one`,
            token_endpoint: `${this.url}/token`,
            jwks_uri: `${this.url}/keys`,
          },
        ];
      case "/keys":
        return [200, { keys: [{ ...(await exportJWK(this.#keys.publicKey)), kid: "one", alg: "RS256" }] }];
      case "/token":
      case "/login/oauth/access_token": {
        this.exchanges.push(new URLSearchParams(Buffer.concat(body).toString()));
        if (this.refusal) return [this.refusal, { error: "invalid_grant" }];
        const idToken = await this.idToken({ ...this.person });
        return [
          200,
          { access_token: "provider-access", refresh_token: "provider-refresh", id_token: idToken },
        ];
      }
      case "/api/v3/user":
        if (request.headers.authorization !== "Bearer provider-access") return [401, {}];
        return [200, { id: 42, login: "ada", name: this.person.name, avatar_url: "https://avatars.test/42" }];
      case "/api/v3/user/emails":
        return [
          200,
          [
            { email: "other@example.com", primary: false, verified: true },
            { email: this.person.email, primary: true, verified: this.person.email_verified ?? false },
          ],
        ];
      default:
        return [404, {}];
    }
  }
}
