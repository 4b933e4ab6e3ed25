/** Owns: the design's colours for what is drawn on a canvas, which reads neither tokens nor OKLCH. */

/** A token's colour as it is now, as "rgb(r, g, b)". */
export function colourOf(element: HTMLElement, token: `--${string}`): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  element.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  const canvas = document.createElement("canvas");
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext("2d");
  if (!context) return resolved;
  context.fillStyle = resolved;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `rgb(${red}, ${green}, ${blue})`;
}

/** Calls back when light turns to dark or back, by the system or by the person's choice. */
export function onTheme(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = new MutationObserver(listener);
  system.addEventListener("change", listener);
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", listener);
    chosen.disconnect();
  };
}
