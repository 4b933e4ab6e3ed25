/**
 * Owns a SAML identity provider for tests, on a server of its own: samlify parses the requests, checks their
 * signatures by the service provider's metadata, and signs the responses.
 */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { pem } from "../../../src/core/der.ts";
import { serviceCertificate } from "../certificate.ts";

/** What is used of samlify; its own types bring in those of browsers, which contradict Node's. */
interface Samlify {
  setSchemaValidator(validator: { validate(xml: string): Promise<unknown> }): void;
  SamlLib: {
    defaultLoginResponseTemplate: { context: string };
    replaceTagsByValue(template: string, values: Record<string, string | undefined>): string;
  };
  ServiceProvider(settings: Record<string, unknown>): Service;
  IdentityProvider(settings: Record<string, unknown>): Identity;
}
interface Service {
  entityMeta: { getAssertionConsumerService(binding: string): string; getEntityID(): string };
}
interface Identity {
  getMetadata(): string;
  parseLoginRequest(
    service: Service,
    binding: "redirect",
    request: { query: Record<string, string>; octetString: string },
  ): Promise<{
    extract: {
      issuer: string;
      request: { id: string; assertionConsumerServiceUrl: string };
      nameIDPolicy: { format: string };
    };
  }>;
  createLoginResponse(
    service: Service,
    request: { extract: { request: { id: string | undefined } } },
    binding: "post",
    user: object,
    options: {
      encryptThenSign: boolean;
      customTagReplacement(template: string): { id: string; context: string };
    },
  ): Promise<{ context: string }>;
}
const samlify = createRequire(import.meta.url)("samlify") as Samlify;

// samlify asks for a validator of XML schemas, which exist only as Java or native code.
samlify.setSchemaValidator({ validate: async () => "not validated" });

/** Not a name of samlify's, which would fill it itself. */
const STATEMENTS = "{Statements}";
const PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

/** What a response says; the members that a test leaves out are right. */
export interface Statement {
  nameId?: string;
  nameIdFormat?: string;
  /** Attribute values by name. */
  attributes?: Record<string, readonly string[]>;
  audience?: string;
  recipient?: string;
  destination?: string;
  issuer?: string;
  status?: string;
  /** Shifts all times; milliseconds. */
  shift?: number;
  /** The assertion's end, after its issue; milliseconds. */
  lifetime?: number;
  inResponseTo?: string;
  subjectInResponseTo?: string;
  assertionId?: string;
  sessionEnd?: Date;
  /** More XML, e.g. in the NameID. */
  nameIdXml?: string;
}

/** A response on its way through the browser. */
export interface Posted {
  SAMLResponse: string;
  RelayState: string;
}

export interface ProviderOptions {
  entityId?: string;
  /** Signs the response as a whole instead of the assertion. */
  wholeSigned?: boolean;
  /** Encrypts the assertion with these algorithms. */
  encryption?: { data: string; key: string };
  signatureAlgorithm?: string;
}

/** A SAML identity provider. */
export class SamlIdentityProvider {
  readonly entityId: string;
  readonly url: string;
  /** The next response's contents. */
  statement: Statement = {};
  /** The requests that arrived, as samlify read them. */
  readonly requests: { id: string; nameIdFormat: string; issuer: string; acs: string }[] = [];
  /** The service provider's metadata. */
  serviceMetadata = "";
  readonly #server: Server;
  readonly #options: ProviderOptions;
  readonly #key: string;
  readonly #certificate: string;

  private constructor(server: Server, options: ProviderOptions) {
    const { port } = server.address() as AddressInfo;
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.#server = server;
    this.#options = options;
    this.#key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    this.#certificate = pem("CERTIFICATE", serviceCertificate(privateKey, "idp.test", false));
    this.url = `http://127.0.0.1:${port}`;
    this.entityId = options.entityId ?? `${this.url}/metadata`;
  }

  static async open(options: ProviderOptions = {}): Promise<SamlIdentityProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const provider = new SamlIdentityProvider(server, options);
    server.on("request", (request, response) => {
      const url = new URL(request.url ?? "/", provider.url);
      void provider.#answer(url).then(
        (posted) => {
          const field = (name: keyof Posted) => `<input name="${name}" value="${posted[name]}">`;
          response
            .writeHead(200, { "content-type": "text/html" })
            .end(`<form method="post">${field("SAMLResponse")}${field("RelayState")}</form>`);
        },
        (error: unknown) => response.writeHead(400).end(String(error)),
      );
    });
    return provider;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** The metadata, as an administrator uploads it. */
  get metadata(): string {
    return this.#idp().getMetadata();
  }

  /** Follows the address of a request as a browser does. @throws when the provider refuses the request. */
  async visit(address: string): Promise<Posted> {
    const response = await fetch(address);
    const page = await response.text();
    if (!response.ok) throw new Error(page);
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? "";
    return { SAMLResponse: field("SAMLResponse"), RelayState: field("RelayState") };
  }

  /** A response without a request. @param relayState where the browser shall go. */
  async unsolicited(statement: Statement = {}, relayState = ""): Promise<Posted> {
    return { SAMLResponse: await this.respond(statement, undefined), RelayState: relayState };
  }

  async #answer(url: URL): Promise<Posted> {
    const query = Object.fromEntries(url.searchParams);
    // The signature covers the parameters as they are written in the address.
    const octetString = url.search
      .slice(1)
      .split("&")
      .filter((part) => /^(?:SAMLRequest|RelayState|SigAlg)=/.test(part))
      .join("&");
    const { extract } = await this.#idp().parseLoginRequest(this.#service(), "redirect", {
      query,
      octetString,
    });
    this.requests.push({
      id: extract.request.id,
      issuer: extract.issuer,
      acs: extract.request.assertionConsumerServiceUrl,
      nameIdFormat: extract.nameIDPolicy.format,
    });
    return {
      SAMLResponse: await this.respond(this.statement, extract.request.id),
      RelayState: query.RelayState ?? "",
    };
  }

  /** A signed response, base64. @param requestId of the request that it answers. */
  async respond(statement: Statement, requestId: string | undefined): Promise<string> {
    const service = this.#service();
    const made = await this.#idp().createLoginResponse(
      service,
      { extract: { request: { id: requestId } } },
      "post",
      {},
      {
        encryptThenSign: false,
        customTagReplacement: (template: string) => this.#fill(template, statement, requestId, service),
      },
    );
    return made.context;
  }

  #fill(template: string, statement: Statement, requestId: string | undefined, service: Service) {
    const issued = Date.now() + (statement.shift ?? 0);
    const time = (at: number) => new Date(at).toISOString();
    const end = time(issued + (statement.lifetime ?? 300_000));
    const acs = String(service.entityMeta.getAssertionConsumerService("post"));
    const id = `_${randomUUID()}`;
    const context = samlify.SamlLib.replaceTagsByValue(
      template
        .replace(
          STATEMENTS,
          authnStatement(time(issued), statement.sessionEnd) + attributeStatement(statement.attributes ?? {}),
        )
        .replace("{NameID}", statement.nameIdXml ?? "{NameID}"),
      {
        ID: id,
        AssertionID: statement.assertionId ?? `_${randomUUID()}`,
        IssueInstant: time(issued),
        Issuer: statement.issuer ?? this.entityId,
        Destination: statement.destination ?? acs,
        StatusCode: statement.status ?? "urn:oasis:names:tc:SAML:2.0:status:Success",
        NameIDFormat: statement.nameIdFormat ?? PERSISTENT,
        NameID: statement.nameId ?? "",
        SubjectConfirmationDataNotOnOrAfter: end,
        SubjectRecipient: statement.recipient ?? acs,
        ConditionsNotBefore: time(issued),
        ConditionsNotOnOrAfter: end,
        Audience: statement.audience ?? service.entityMeta.getEntityID(),
        InResponseTo: statement.inResponseTo ?? requestId,
        SubjectInResponseTo: statement.subjectInResponseTo ?? statement.inResponseTo ?? requestId,
      },
    );
    return { id, context };
  }

  #service(): Service {
    return samlify.ServiceProvider({
      metadata: this.#options.wholeSigned
        ? this.serviceMetadata.replace('WantAssertionsSigned="true"', "")
        : this.serviceMetadata,
      ...(this.#options.wholeSigned ? { wantMessageSigned: true } : {}),
      authnRequestsSigned: true,
    });
  }

  #idp(): Identity {
    const { encryption, signatureAlgorithm } = this.#options;
    const binding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
    return samlify.IdentityProvider({
      entityID: this.entityId,
      signingCert: this.#certificate,
      privateKey: this.#key,
      wantAuthnRequestsSigned: true,
      requestSignatureAlgorithm: signatureAlgorithm ?? "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
      nameIDFormat: [PERSISTENT],
      singleSignOnService: [{ Binding: binding, Location: `${this.url}/sso`, isDefault: true }],
      singleLogoutService: [{ Binding: binding, Location: `${this.url}/slo` }],
      isAssertionEncrypted: encryption !== undefined,
      ...(encryption
        ? { dataEncryptionAlgorithm: encryption.data, keyEncryptionAlgorithm: encryption.key }
        : {}),
      loginResponseTemplate: {
        context: samlify.SamlLib.defaultLoginResponseTemplate.context
          .replace("{AuthnStatement}{AttributeStatement}", STATEMENTS)
          .replace(
            'Recipient="{SubjectRecipient}" InResponseTo="{InResponseTo}"',
            'Recipient="{SubjectRecipient}" InResponseTo="{SubjectInResponseTo}"',
          ),
        attributes: [],
      },
    });
  }
}

function attributeStatement(attributes: Record<string, readonly string[]>): string {
  const all = Object.entries(attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join("")}</saml:Attribute>`,
  );
  return all.length > 0 ? `<saml:AttributeStatement>${all.join("")}</saml:AttributeStatement>` : "";
}

function authnStatement(at: string, end: Date | undefined): string {
  const until = end ? ` SessionNotOnOrAfter="${end.toISOString()}"` : "";
  return `<saml:AuthnStatement AuthnInstant="${at}"${until}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
}
