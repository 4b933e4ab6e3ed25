/** Owns the page's start. */
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { FeedStore } from "./app/feed-store.ts";
import { takeCode } from "./app/way-in.ts";

const code = takeCode();
const store = new FeedStore(new URLSearchParams(location.search).get("q") ?? "");
const root = document.getElementById("root");
if (root) createRoot(root).render(<App store={store} />);
void store.start(code);
