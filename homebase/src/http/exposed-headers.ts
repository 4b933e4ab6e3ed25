/** Owns which headers of a response the pages of other origins may read. */

/** The response headers that PostgREST exposes to browsers; counts are in `Content-Range`. */
export const EXPOSED =
  "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit";
