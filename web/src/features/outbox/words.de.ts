/** Owns: the words of changes that are not sent yet, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { OutboxWords } from "./words.ts";

export const outbox: OutboxWords = {
  label: "Noch nicht gesendet",
  waiting: (count) =>
    plural(count, {
      one: "Eine Änderung wird gesendet, sobald du online bist. Sie ist auf diesem Gerät gespeichert.",
      other: "# Änderungen werden gesendet, sobald du online bist. Sie sind auf diesem Gerät gespeichert.",
    }),
  kinds: {
    message: "Deine Nachricht",
    votes: "Deine Stimme",
    rsvp: "Deine Zu- oder Absage",
    veto: "Dein Widerspruch",
    arrival: "Deine Ankunft",
  },
  refused: (what, why) => `${what} konnte nicht gesendet werden. ${why}`,
  retry: "Erneut versuchen",
  drop: "Verwerfen",
  sent: "Alles ist gesendet.",
};
