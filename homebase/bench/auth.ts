/**
 * Owns the measurement of Auth: sign-ins and refreshes a second, each beside the least that they can cost in
 * the same run (bcrypt alone; the same rows written by the driver alone), and the check of a token.
 */
import { randomUUID } from "node:crypto";
import { hash, verify } from "@node-rs/bcrypt";
import { developmentSigningKey, Keys } from "../src/tokens/keys.ts";
import { Connection, rate, requestText } from "./load.ts";
import type { Target } from "./target.ts";

export interface AuthMeasurement {
  /** A second. */
  signIns: number;
  /** bcrypt comparisons of the same cost a second, by as many at once. */
  bcrypt: number;
  refreshes: number;
  /** Transactions a second that lock a session and write what a refresh writes. */
  transactions: number;
  /** Microseconds to check a token that was not seen before, and one that was. */
  firstCheck: number;
  laterCheck: number;
}

const AT_ONCE = 8;
const SECONDS = 3;
const COST = 10;
const PASSWORD = "correct horse battery";
const LOGIN = "supabase_auth_admin";
const FIRST_CHECKS = 300;
const LATER_CHECKS = 200_000;

/** Measures all of it. Makes users of its own. */
export async function benchAuth(target: Target, seconds = SECONDS): Promise<AuthMeasurement> {
  const sessions = await Promise.all(Array.from({ length: AT_ONCE }, () => signUp(target)));
  const stored = await hash(PASSWORD, COST);
  const each = (work: (session: Session, at: number) => Promise<void>) =>
    rate(seconds, (at) => sessions[at] && work(sessions[at], at), { atOnce: AT_ONCE });
  const signIns = await each(async (session) => {
    await token(target, session, "password", { email: session.email, password: PASSWORD });
  });
  const bcrypt = await each(async () => {
    if (!(await verify(PASSWORD, stored))) throw new Error("The password does not fit.");
  });
  const refreshes = await each(async (session) => {
    const body = { refresh_token: session.refreshToken };
    session.refreshToken = (await token(target, session, "refresh_token", body)).refresh_token;
  });
  const transactions = await each((session, at) => write(target, session.sessionId, at));
  for (const { connection } of sessions) connection.close();
  return { signIns, bcrypt, refreshes, transactions, ...(await checks()) };
}

interface Session {
  email: string;
  connection: Connection;
  sessionId: string;
  refreshToken: string;
}

interface TokenAnswer {
  access_token: string;
  refresh_token: string;
}

/** A person's device: it has a connection of its own. */
async function post(
  target: Target,
  connection: Connection,
  path: string,
  body: unknown,
): Promise<TokenAnswer> {
  const headers = { apikey: target.publishableKey };
  return JSON.parse(
    await connection.send(requestText("POST", `/auth/v1/${path}`, headers, JSON.stringify(body))),
  ) as TokenAnswer;
}

const token = (target: Target, session: Session, grant: string, body: unknown) =>
  post(target, session.connection, `token?grant_type=${grant}`, body);

async function signUp(target: Target): Promise<Session> {
  const email = `bench-${randomUUID()}@example.com`;
  const connection = new Connection(new URL(target.url));
  const answer = await post(target, connection, "signup", { email, password: PASSWORD });
  const claims = JSON.parse(Buffer.from(answer.access_token.split(".")[1] ?? "", "base64url").toString());
  return { email, connection, sessionId: claims.session_id, refreshToken: answer.refresh_token };
}

/** What a refresh writes, by the driver alone: all of it in one go, as there is nothing to wait for. */
async function write(target: Target, sessionId: string, at: number): Promise<void> {
  const client = await target.database.pool(LOGIN).connect();
  try {
    const made = `bench${at}${randomUUID()}`;
    await Promise.all([
      client.query("begin"),
      client.query("select 1 from sessions where id = $1 for update", [sessionId]),
      client.query("update refresh_tokens set revoked = true where session_id = $1 and not revoked", [
        sessionId,
      ]),
      client.query(
        `insert into refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
         select '00000000-0000-0000-0000-000000000000', $2, user_id::text, false, now(), now(), '', id
         from sessions where id = $1`,
        [sessionId, made],
      ),
      client.query(
        `insert into audit_log_entries (instance_id, id, payload, created_at, ip_address)
         select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), '{}', now(), '' from generate_series(1, 2)`,
      ),
      client.query("update sessions set refreshed_at = now() at time zone 'utc' where id = $1", [sessionId]),
      client.query("commit"),
    ]);
  } finally {
    client.release();
  }
}

async function checks(): Promise<{ firstCheck: number; laterCheck: number }> {
  const keys = new Keys({
    jwtSecret: "super-secret-jwt-token-with-at-least-32-characters-long",
    publishableKey: "sb_publishable_bench",
    secretKey: "sb_secret_bench",
    signingKeys: [developmentSigningKey],
    legacySecret: true,
  });
  const tokens = await Promise.all(
    Array.from({ length: FIRST_CHECKS }, (_, number) => keys.sign({ sub: randomUUID(), number })),
  );
  const micros = (from: number, count: number) =>
    Math.round(((performance.now() - from) * 1_000 * 100) / count) / 100;
  await keys.checkToken(await keys.sign({ sub: "warm" }));
  const first = performance.now();
  for (const one of tokens) await keys.checkToken(one);
  const firstCheck = micros(first, FIRST_CHECKS);
  const known = tokens[0] ?? "";
  const later = performance.now();
  for (let run = 0; run < LATER_CHECKS; run += 1) keys.cachedCheck(known);
  return { firstCheck, laterCheck: micros(later, LATER_CHECKS) };
}
