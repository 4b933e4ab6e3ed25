/** Owns: the words of a plan's photos, in German. */
import { number, plural } from "../../lib/i18n/words.ts";
import type { PhotoWords } from "./words.ts";

export const photos: PhotoWords = {
  photos: "Fotos",
  loading: "Fotos",
  arrived: "Neues Foto hinzugefügt.",
  shared: (count) => plural(count, { one: "Foto hinzugefügt.", other: "# Fotos hinzugefügt." }),
  empty: {
    title: "Noch keine Fotos",
    text: "Der erste Teller ist ein guter Anfang. Wo ein Foto entstanden ist, speichern wir nie.",
  },
  add: "Fotos hinzufügen",
  count: (count, most) => `${number(count)} von ${number(most)}`,
  full: "Ein Plan kann höchstens 100 Fotos haben. Entferne eins, um ein neues hinzuzufügen.",
  tooMany: (fit) =>
    plural(fit, {
      one: "Du kannst nur noch # Foto hinzufügen.",
      other: "Du kannst nur noch # Fotos hinzufügen.",
    }),
  you: "dir",
  gone: "jemandem, der nicht mehr dabei ist",
  by: (author) => `von ${author}`,
  aPhotoBy: (author) => `Ein Foto von ${author}`,
  look: (photo) => `Ansehen: ${photo}`,
  missing: "Dieses Foto wurde entfernt.",
  upload: {
    label: "Fotos zum Teilen",
    caption: "Bildunterschrift",
    captionLong: "Höchstens 140 Zeichen.",
    captionHint: "Was sehen wir da?",
    share: (count) => plural(count, { one: "Foto teilen", other: "# Fotos teilen" }),
    without: (file) => `${file} entfernen`,
    notThis: "Entfernen",
    waiting: "Wartet",
    preparing: "Wird verkleinert",
    sending: (percent) => `${percent} %`,
    done: "Hinzugefügt",
    retry: "Erneut versuchen",
    progress: (file) => `Fortschritt von ${file}`,
  },
  viewer: {
    label: "Fotoansicht",
    close: "Schließen",
    previous: "Vorheriges Foto",
    next: "Nächstes Foto",
    place: (at, of) => `${at} von ${of}`,
    byAt: (author, when) => `von ${author}, ${when}`,
    editCaption: "Bildunterschrift bearbeiten",
    saveCaption: "Speichern",
    remove: "Foto entfernen",
    reallyRemove: "Dieses Foto für alle entfernen?",
    yesRemove: "Für alle entfernen",
    stay: "Abbrechen",
  },
  problems: {
    notAPicture: {
      message: "Diese Art von Datei können wir nicht zeigen.",
      hint: "Nimm ein Foto als JPEG, PNG, WebP oder AVIF.",
    },
    tooLarge: { message: "Die Datei ist größer als 50 MB.", hint: "Nimm ein kleineres Foto." },
  },
};
