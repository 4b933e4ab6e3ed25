/** Owns: the choice between the app's own basemap and street tiles; renders nothing if the build names no style. */
import { useState } from "react";
import { Pills } from "../../../ui/fields/pills.tsx";
import { setUsesTiles, tilesHost, usesTiles } from "../tiles-choice.ts";
import { mapWords } from "../words.ts";

export function TilesChoice() {
  const words = mapWords().tiles;
  const host = tilesHost();
  const [on, setOn] = useState(usesTiles);
  if (host === null) return null;
  return (
    <Pills
      title={words.title}
      value={on ? "streets" : "plain"}
      options={[
        ["plain", words.plain],
        ["streets", words.streets(host)],
      ]}
      help={words.help}
      onChange={(value) => {
        setUsesTiles(value === "streets");
        setOn(value === "streets");
      }}
    />
  );
}
