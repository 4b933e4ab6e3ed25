/** Owns: the choice between the app's own basemap and street tiles; renders nothing if the build names no style. */
import { useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { setUsesTiles, tilesHost, usesTiles } from "../tiles-choice.ts";
import { mapWords } from "../words.ts";

export function TilesChoice() {
  const words = mapWords().tiles;
  const host = tilesHost();
  const [on, setOn] = useState(usesTiles);
  if (host === null) return null;
  return (
    <RadioGroup
      orientation="horizontal"
      value={on ? "streets" : "plain"}
      onChange={(value) => {
        setUsesTiles(value === "streets");
        setOn(value === "streets");
      }}
      className="flex flex-col gap-2"
    >
      <Label className="font-display text-lg">{words.title}</Label>
      <div className="flex flex-wrap gap-2">
        {(
          [
            ["plain", words.plain],
            ["streets", words.streets(host)],
          ] as const
        ).map(([value, text]) => (
          <Radio
            key={value}
            value={value}
            className="grid min-h-11 cursor-pointer place-items-center rounded-3xl border border-edge bg-card px-5 py-1.5 break-words data-[selected]:border-transparent data-[selected]:bg-ink data-[selected]:text-card"
          >
            {text}
          </Radio>
        ))}
      </div>
      <p className="text-sm text-ink-soft">{words.help}</p>
    </RadioGroup>
  );
}
