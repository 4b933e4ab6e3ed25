/** Owns: the words of a plan's photos, in English. */
import { defineWords, number, plural } from "../../lib/i18n/words.ts";

export const photoWords = defineWords("photos", {
  photos: "Photos",
  loading: "photos",
  arrived: "New photo added.",
  shared: (count: number) => plural(count, { one: "Photo added.", other: "# photos added." }),
  empty: {
    title: "No photos yet",
    text: "The first plate is a good start. We never store where a photo was taken.",
  },
  add: "Add photos",
  count: (count: number, most: number) => `${number(count)} of ${number(most)}`,
  full: "A plan can have up to 100 photos. Remove one to add another.",
  tooMany: (fit: number) =>
    plural(fit, {
      one: "You can add only # more photo.",
      other: "You can add only # more photos.",
    }),
  you: "you",
  gone: "Someone who left",
  by: (author: string) => `by ${author}`,
  aPhotoBy: (author: string) => `A photo by ${author}`,
  look: (photo: string) => `Open: ${photo}`,
  missing: "This photo was removed.",
  upload: {
    label: "Photos to share",
    caption: "Caption",
    captionLong: "Use up to 140 characters.",
    captionHint: "What are we looking at?",
    share: (count: number) => plural(count, { one: "Share photo", other: "Share # photos" }),
    without: (file: string) => `Remove ${file}`,
    notThis: "Remove",
    waiting: "Waiting",
    preparing: "Resizing",
    sending: (percent: number) => `${percent} %`,
    done: "Added",
    retry: "Try again",
    progress: (file: string) => `Upload progress of ${file}`,
  },
  viewer: {
    label: "Photo viewer",
    close: "Close",
    previous: "Previous photo",
    next: "Next photo",
    place: (at: number, of: number) => `${at} of ${of}`,
    byAt: (author: string, when: string) => `by ${author}, ${when}`,
    editCaption: "Edit caption",
    saveCaption: "Save",
    remove: "Remove photo",
    reallyRemove: "Remove this photo for everyone?",
    yesRemove: "Remove for everyone",
    stay: "Cancel",
  },
  problems: {
    notAPicture: {
      message: "We can't show this kind of file.",
      hint: "Choose a JPEG, PNG, WebP or AVIF photo.",
    },
    tooLarge: { message: "That file is larger than 50 MB.", hint: "Choose a smaller photo." },
  },
});

export type PhotoWords = ReturnType<typeof photoWords>;
