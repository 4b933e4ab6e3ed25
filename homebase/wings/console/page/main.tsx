/** Owns the page's start. */
import { createRoot } from "react-dom/client";
import { completeAddress } from "./app/address.ts";
import { App } from "./app/app.tsx";
import { store } from "./begin.ts";

/** The first rows do not wait until a frame without rows is drawn, unless they take this long. */
const FRAME_MS = 100;

const drawn = new Promise<void>((resolve) => {
  const look = () => store.read().loaded && resolve();
  store.subscribe(look);
  look();
  setTimeout(resolve, FRAME_MS);
});
completeAddress();
const root = document.getElementById("root");
if (root) void drawn.then(() => createRoot(root).render(<App store={store} />));
