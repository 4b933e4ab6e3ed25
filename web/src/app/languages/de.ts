/** Owns: all German words in one piece, fetched before the first screen by whom German is spoken with. */
import * as chat from "../../features/chat/words.de.ts";
import * as outbox from "../../features/outbox/words.de.ts";
import * as photos from "../../features/photos/words.de.ts";
import * as session from "../../features/session/words.de.ts";
import * as lib from "../../lib/words.de.ts";
import * as ui from "../../ui/words.de.ts";
import * as landing from "../landing-words.de.ts";
import * as app from "../words.de.ts";

export const de = { ...lib, ...ui, ...app, ...landing, ...session, ...chat, ...outbox, ...photos };
