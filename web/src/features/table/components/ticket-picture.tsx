/**
 * Owns: the ticket as a picture, drawn on a canvas with the app's fonts and light colours: the table, the time and the
 * place. People appear with their initials, without their profile pictures.
 */
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import type { DrawnSeat } from "../drawn-seats.ts";
import { TableDrawing } from "./table-drawing.tsx";

export interface TicketFacts {
  title: string;
  /** "Fri 27 Nov" */
  day: string;
  /** "19:30" */
  clock: string;
  place: string;
  address: string;
  /** "5 people are coming" */
  people: string;
  seats: readonly DrawnSeat[];
}

const WIDTH = 1080;
const HEIGHT = 1350;
const CARD = { x: 70, y: 70, width: WIDTH - 140, height: HEIGHT - 140, radius: 48 };
/** The perforation's distance from the top. */
const TEAR = 700;
const EDGE = CARD.x + 64;
const TEXT_WIDTH = WIDTH - 2 * EDGE;
const TABLE = { width: 700, height: 540 };

/** The custom properties that the drawing of the table uses. */
const DRAWING = [
  "glow",
  "wood",
  "wood-edge",
  "edge",
  "china",
  "yes",
  "maybe",
  "no",
  "card",
  "ink",
  "ink-soft",
];

/** @throws where the browser cannot draw or encode it */
export async function ticketPicture(facts: TicketFacts): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("This browser has no canvas.");
  const { colour, display, sans } = lightLook();
  const [table] = await Promise.all([
    tableImage(facts),
    // Only the first family is the app's own; the fallbacks are fonts of the device, which may lack them.
    document.fonts.load(`600 80px ${display.split(",")[0]}`, facts.title + facts.day + facts.clock),
  ]);

  pen.fillStyle = colour("ground");
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  pen.fillStyle = colour("card");
  pen.strokeStyle = colour("line");
  pen.lineWidth = 2;
  pen.beginPath();
  pen.roundRect(CARD.x, CARD.y, CARD.width, CARD.height, CARD.radius);
  pen.fill();
  pen.stroke();

  const scale = Math.min(TABLE.width / table.width, TABLE.height / table.height);
  const [width, height] = [table.width * scale, table.height * scale];
  pen.drawImage(table, (WIDTH - width) / 2, CARD.y + (TEAR - CARD.y - height) / 2, width, height);
  tear(pen, colour("ground"), colour("line"));

  pen.textBaseline = "alphabetic";
  let y = TEAR + 100;
  const write = (text: string, font: string, ink: string, most: number, lead: number) => {
    pen.font = font;
    pen.fillStyle = colour(ink);
    for (const line of lines(pen, text, most)) {
      pen.fillText(line, EDGE, y);
      y += lead;
    }
  };
  write(facts.title, `600 60px ${display}`, "ink", 2, 68);
  y += 14;
  write(`${facts.day}, ${facts.clock}`, `600 52px ${display}`, "action", 1, 66);
  y += 6;
  write(facts.place, `600 40px ${sans}`, "ink", 2, 48);
  write(facts.address, `400 34px ${sans}`, "ink-soft", 2, 44);
  pen.font = `400 34px ${sans}`;
  pen.fillStyle = colour("ink-soft");
  const foot = CARD.y + CARD.height - 52;
  pen.fillText(facts.people, EDGE, foot);
  pen.font = `600 40px ${display}`;
  pen.fillStyle = colour("ink");
  pen.textAlign = "right";
  pen.fillText("Nosh", WIDTH - EDGE, foot);

  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be encoded."))),
      "image/png",
    );
  });
}

/** The perforation: a dashed line between two notches. */
function tear(pen: CanvasRenderingContext2D, ground: string, line: string): void {
  pen.strokeStyle = line;
  pen.lineWidth = 4;
  pen.setLineDash([14, 12]);
  pen.beginPath();
  pen.moveTo(CARD.x + 44, TEAR);
  pen.lineTo(CARD.x + CARD.width - 44, TEAR);
  pen.stroke();
  pen.setLineDash([]);
  pen.fillStyle = ground;
  for (const x of [CARD.x, CARD.x + CARD.width]) {
    pen.beginPath();
    pen.arc(x, TEAR, 26, 0, 2 * Math.PI);
    pen.fill();
  }
}

/** The text in lines that fit, the last one shortened. */
function lines(pen: CanvasRenderingContext2D, text: string, most: number): string[] {
  const fits = (line: string) => pen.measureText(line).width <= TEXT_WIDTH;
  const made: string[] = [];
  let rest = text.trim();
  while (rest !== "" && made.length < most) {
    let end = rest.length;
    while (end > 1 && !fits(rest.slice(0, end))) {
      const space = rest.lastIndexOf(" ", end - 1);
      end = space > 0 ? space : end - 1;
    }
    if (end < rest.length && made.length === most - 1) {
      // Shortened by characters, not by words.
      let cut = [...rest];
      while (cut.length > 0 && !fits(`${cut.join("").trimEnd()}…`)) cut = cut.slice(0, -1);
      made.push(`${cut.join("").trimEnd()}…`);
      break;
    }
    made.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trim();
  }
  return made;
}

/** The app's light colours, in a form that a canvas accepts, and its two font families. */
function lightLook(): { colour: (name: string) => string; display: string; sans: string } {
  const probe = document.createElement("span");
  probe.style.colorScheme = "light";
  document.body.append(probe);
  try {
    const style = getComputedStyle(probe);
    const names = ["ground", "card", "line", "ink", "ink-soft", "action"];
    const known = new Map(
      names.map((name) => {
        probe.style.color = `var(--${name})`;
        return [name, style.color];
      }),
    );
    const face = (name: string) => {
      probe.style.fontFamily = `var(--font-${name})`;
      return style.fontFamily;
    };
    return { colour: (name) => known.get(name) ?? "black", display: face("display"), sans: face("sans") };
  } finally {
    probe.remove();
  }
}

/** The drawing of the table as an image. An SVG image cannot use the page's styles, so its colours are set on it. */
async function tableImage({ seats, title }: TicketFacts): Promise<HTMLImageElement> {
  const holder = document.createElement("div");
  const root = createRoot(holder);
  flushSync(() => {
    root.render(
      <TableDrawing
        seats={seats.map((seat) => ({ ...seat, picture: null, present: false }))}
        label={title}
      />,
    );
  });
  const svg = holder.querySelector("svg");
  if (!svg) throw new Error("The table was not drawn.");
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("width", String(width * 2));
  svg.setAttribute("height", String(height * 2));
  const page = getComputedStyle(document.documentElement);
  svg.style.colorScheme = "light";
  for (const name of DRAWING) svg.style.setProperty(`--${name}`, page.getPropertyValue(`--${name}`));
  svg.style.setProperty("--font-sans", "system-ui, sans-serif");
  const source = URL.createObjectURL(
    new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }),
  );
  root.unmount();
  try {
    const image = new Image();
    image.src = source;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(source);
  }
}
