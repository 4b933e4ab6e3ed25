/** Owns: the words for what happened, in German. */
import type { NotificationWords } from "./words.ts";

export const notifications: NotificationWords = {
  title: "Was war",
  loading: "Was war",
  empty: "Noch ist nichts gewesen",
  emptyText: "Wenn ein Plan feststeht, sich ändert oder auf dich wartet, steht es hier.",
  fresh: (count) => `${count} neu`,
  unread: "neu",
  readAll: "Alles gesehen",
  someone: "Jemand",
  gone: "ein Plan, den es nicht mehr gibt",
  kinds: {
    plan_invited: (who, plan) => `${who} hat dich an den Tisch geholt: ${plan}.`,
    plan_confirmed: (who, plan) => `${who} hat Zeit und Ort festgelegt: ${plan}.`,
    plan_reopened: (who, plan) =>
      `${who} hat wieder geöffnet: ${plan}. Deine Antwort ist noch einmal gefragt.`,
    plan_cancelled: (who, plan) => `${who} hat abgesagt: ${plan}.`,
    plan_restored: (who, plan) => `${who} hat zurückgeholt: ${plan}.`,
    seat_freed: (_who, plan) => `Ein Platz ist frei geworden, du bist dabei: ${plan}.`,
    person_joined: (who, plan) => `${who} hat Platz genommen: ${plan}.`,
    vote_reminder: (_who, plan) => `Die Abstimmung endet bald, und deine Antwort fehlt: ${plan}.`,
    plan_tomorrow: (_who, plan) => `Weniger als ein Tag bis: ${plan}.`,
    rate_reminder: (_who, plan) => `Wie war es? Ein paar Sterne helfen beim nächsten Mal: ${plan}.`,
  },
};
