/** Owns: avatars: a person's picture, or their initials on a colour derived from their id. */
import { useState } from "react";
import { hueOf } from "./theme/hue.ts";

export interface Face {
  id: string;
  name: string;
  /** Address of the picture, or null. */
  picture: string | null;
}

export function initialsOf(name: string): string {
  // Words in brackets are not part of the name.
  const words = name
    .trim()
    .split(/\s+/)
    .filter((word) => !word.startsWith("("));
  const first = [...(words[0] ?? "")][0] ?? "?";
  const last = words.length > 1 ? ([...(words.at(-1) ?? "")][0] ?? "") : "";
  return (first + last).toLocaleUpperCase("en");
}

/** `label` is spoken; leave it out where the name stands beside the picture. */
export function Avatar({ face, size = 36, label }: { face: Face; size?: number; label?: string }) {
  const [broken, setBroken] = useState<string | null>(null);
  const style = {
    width: size,
    height: size,
    fontSize: size * 0.38,
    "--hue": hueOf(face.id),
  } as React.CSSProperties;
  return (
    <span
      {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
      style={style}
      className="inline-grid shrink-0 place-items-center overflow-hidden rounded-full bg-[oklch(0.42_0.09_var(--hue))] font-semibold text-[oklch(0.98_0.01_90)]"
    >
      {face.picture && face.picture !== broken ? (
        <img
          src={face.picture}
          alt=""
          width={size}
          height={size}
          className="size-full object-cover"
          onError={() => setBroken(face.picture)}
        />
      ) : (
        initialsOf(face.name)
      )}
    </span>
  );
}

const MOST_FACES = 5;

/** A few faces that overlap, and how many more there are. */
export function Faces({ faces, size = 28 }: { faces: readonly Face[]; size?: number }) {
  const shown = faces.length > MOST_FACES ? faces.slice(0, MOST_FACES - 1) : faces;
  return (
    <span className="flex items-center">
      {shown.map((face) => (
        <span key={face.id} className="-ml-1.5 rounded-full ring-2 ring-card first:ml-0">
          <Avatar face={face} size={size} label={face.name} />
        </span>
      ))}
      {faces.length > shown.length ? (
        <span className="numerals ml-1.5 text-sm text-ink-soft">+{faces.length - shown.length}</span>
      ) : null}
    </span>
  );
}
