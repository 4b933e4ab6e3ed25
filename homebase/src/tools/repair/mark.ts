/** Owns the first words of every file that a repair writes: one that goes on knows its own files by them. */

export const GUESSED = "-- Guessed by homebase doctor --write";
export const COPIED = "-- Copied by homebase doctor --write";

export const isMarked = (text: string) => text.startsWith(GUESSED) || text.startsWith(COPIED);
