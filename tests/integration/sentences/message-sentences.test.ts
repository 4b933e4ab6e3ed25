/**
 * Tests that mails, push messages and previews of links in chats say only what is so: random tables are rows of the real database, each kind of change
 * is told there, and each sentence of what is then sent is held against the rows.
 */
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { write } from "../../../supabase/functions/_shared/mail/compose.ts";
import { german as germanMail } from "../../../supabase/functions/_shared/mail/mail_words_de.ts";
import { english as englishMail } from "../../../supabase/functions/_shared/mail/mail_words_en.ts";
import {
  english as englishPush,
  german as germanPush,
  messageOf,
} from "../../../supabase/functions/_shared/push/push_words.ts";
import {
  addressPreviewOf,
  invitePreviewOf,
  inviteTexts,
  previewWords,
} from "../../../supabase/functions/_shared/unfurl/invite_texts.ts";
import { otherValues, recording, type Said } from "../../../web/src/app/sentences/record.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { mailClaims, previewClaims, pushClaims, type Subject, silentWords } from "./message-claims.ts";
import { messagesOf, prepare, type Ready, type Rows, readerOf, rows } from "./message-rows.ts";

const backend = await forThisFile(createBackend());
beforeAll(() => prepare(backend));

const claims = { ...mailClaims, ...pushClaims, ...previewClaims };
let said: Said[] = [];
const note = (word: Said) => said.push(word);
const mailWords = {
  en: recording(englishMail, "mail", note),
  de: recording(germanMail, "mail", note),
};
const pushWords = {
  en: recording(englishPush, "push", note),
  de: recording(germanPush, "push", note),
};
const chatWords = {
  en: recording(previewWords.en, "preview", note),
  de: recording(previewWords.de, "preview", note),
};
const SENDER = { name: "Nosh", address: "table@nosh.test" };

/** The messages of a change, each with its reader. */
function* messages({ actor, mails, pushes, previews }: Ready): Generator<[string, () => unknown]> {
  for (const mail of mails)
    yield [
      readerOf(mail.address) ?? actor ?? "",
      () => write(mail, "https://nosh.test", "https://nosh.test/f", SENDER, mailWords[mail.language]),
    ];
  for (const preview of previews ? [invitePreviewOf(previews[0]), addressPreviewOf(previews[1])] : [])
    yield ["", () => inviteTexts(preview, chatWords)];
  for (const push of pushes)
    yield [readerOf(push.endpoint) ?? "", () => messageOf(push, pushWords[push.language])];
}

const made = new Set<string>();
const failed = new Set<string>();
const holds = (path: string, on: Subject, values: readonly unknown[]) =>
  (claims[path] as unknown as (on: Subject, ...of: readonly unknown[]) => boolean)(on, ...values);
/** The sentences that are not so. Each claim is also held against other values, other readers and an earlier table. */
function untrueOf(
  table: Omit<Subject, "me" | "actor">,
  ready: readonly Ready[],
  earlier: Subject[],
): string[] {
  const untrue = new Set<string>();
  let about: Subject | undefined;
  for (const change of ready)
    for (const [me, make] of messages(change)) {
      const subject = { ...table, me, actor: change.actor };
      said = [];
      make();
      for (const { path, values } of said) {
        made.add(path);
        if (!claims[path]) continue;
        if (!holds(path, subject, values)) untrue.add(`${path}(${JSON.stringify(values)})`);
        if (failed.has(path)) continue;
        const readers = table.plan.plan_members.map(({ user_id }) => ({ ...subject, me: user_id }));
        if (
          !holds(path, subject, otherValues(values)) ||
          [...readers, ...earlier].some((other) => !holds(path, other, values))
        )
          failed.add(path);
      }
      about = subject;
    }
  // One of each table, so that they differ.
  if (about) earlier.push(about);
  if (earlier.length > 20) earlier.shift();
  return [...untrue];
}

/** The paths of all functions and texts. */
function pathsOf(words: object, path: string): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "object" && value !== null ? pathsOf(value, `${path}.${key}`) : [`${path}.${key}`],
  );
}

it("gives each sentence of a message a claim, or a reason to have none", () => {
  const all = [
    ...pathsOf(englishMail, "mail"),
    ...pathsOf(englishPush, "push"),
    ...pathsOf(previewWords.en, "preview"),
  ];
  expect(all.filter((path) => !claims[path] && !silentWords.has(path))).toEqual([]);
  expect([...silentWords, ...Object.keys(claims)].filter((path) => !all.includes(path))).toEqual([]);
});

it("sends only what is so, of 120 tables", async () => {
  const earlier: Subject[] = [];
  await fc.assert(
    fc.asyncProperty(rows, async (table: Rows) => {
      const { subject, ready } = await messagesOf(backend, table, Date.now());
      expect(untrueOf(subject, ready, earlier)).toEqual([]);
    }),
    // The same tables each time, so that each sentence is among them.
    { numRuns: 120, seed: 11 },
  );
  // No claim waits for a table that is never made, and none holds whatever the rows are.
  expect(Object.keys(claims).filter((path) => !made.has(path))).toEqual([]);
  expect(Object.keys(claims).filter((path) => !failed.has(path))).toEqual([]);
}, 300_000);
