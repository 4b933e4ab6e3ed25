/** Owns the way in, as a script of its own: the first rows are asked for while the page's code still loads. */
import { FeedStore } from "./app/feed-store.ts";
import { takeCode } from "./app/way-in.ts";

const code = takeCode();
export const store = new FeedStore(new URLSearchParams(location.search).get("q") ?? "");
void store.start(code);
