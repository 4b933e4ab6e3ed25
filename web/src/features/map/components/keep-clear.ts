/** Owns: keeping the basemap's labels clear of the markers, which are elements that the map's layout does not know. */
import type { GeoJSONSource, LayerSpecification, Map as MapLibreMap } from "maplibre-gl";
import type { Position } from "../geometry.ts";

export const KEEP_CLEAR = "keep-clear";
/** Width and height in pixels of a marker, and of a marker with its name below. */
const SIZES = { marker: [40, 40], named: [150, 84] } as const;

/** Invisible icons at the markers. MapLibre places the symbols of a style's last layer first, so these keep their room. */
export const keepClearLayer: LayerSpecification = {
  id: KEEP_CLEAR,
  type: "symbol",
  source: KEEP_CLEAR,
  layout: { "icon-image": ["get", "image"], "icon-allow-overlap": true },
};

/** Reserves the markers' room. A style from another server has no such layer, and its labels may overlap markers. */
export function keepClear(map: MapLibreMap, markers: readonly Position[], named: boolean): void {
  const place = () => {
    const source = map.getSource<GeoJSONSource>(KEEP_CLEAR);
    if (!source) return;
    for (const [size, [width, height]] of Object.entries(SIZES)) {
      const image = `${KEEP_CLEAR}-${size}`;
      if (!map.hasImage(image))
        map.addImage(image, { width, height, data: new Uint8Array(width * height * 4) });
    }
    source.setData({
      type: "FeatureCollection",
      features: markers.map(({ latitude, longitude }) => ({
        type: "Feature",
        properties: { image: `${KEEP_CLEAR}-${named ? "named" : "marker"}` },
        geometry: { type: "Point", coordinates: [longitude, latitude] },
      })),
    });
  };
  if (map.getSource(KEEP_CLEAR)) place();
  else map.once("load", place);
}
