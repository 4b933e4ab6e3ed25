/** Owns: the words of the profile screen, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const meWords = defineWords("me", {
  title: "Me",
  loading: "your profile",
  picture: "Change picture",
  name: "Name",
  diets: "What you eat",
  dietsHelp: "People on your plans see this, so nobody picks a place where you can't eat.",
  budget: "Price range, up to",
  zone: "Time zone",
  save: "Save",
  saved: "Saved.",
  appearance: { title: "Appearance", system: "Automatic", light: "Light", dark: "Dark" },
  language: "Language",
  signOut: "Sign out on this device",
  activity: "Activity",
});

export type MeWords = ReturnType<typeof meWords>;
