/** Owns the list of signatures that dumps of hosted projects grant on when vector is in a schema (pgvector 0.8.0). */

const DENSE = ["vector", "halfvec"].flatMap((kind) => [
  `array_to_${kind}(double precision[], integer, boolean)`,
  `array_to_${kind}(integer[], integer, boolean)`,
  `array_to_${kind}(numeric[], integer, boolean)`,
  `array_to_${kind}(real[], integer, boolean)`,
  `binary_quantize(${kind})`,
  `cosine_distance(${kind}, ${kind})`,
  `${kind}(${kind}, integer, boolean)`,
  `${kind}_accum(double precision[], ${kind})`,
  `${kind}_add(${kind}, ${kind})`,
  `${kind}_avg(double precision[])`,
  `${kind}_combine(double precision[], double precision[])`,
  `${kind}_concat(${kind}, ${kind})`,
  `${kind}_l2_squared_distance(${kind}, ${kind})`,
  `${kind}_mul(${kind}, ${kind})`,
  `${kind}_negative_inner_product(${kind}, ${kind})`,
  `${kind}_spherical_distance(${kind}, ${kind})`,
  `${kind}_sub(${kind}, ${kind})`,
  `${kind}_to_float4(${kind}, integer, boolean)`,
  `${kind}_to_sparsevec(${kind}, integer, boolean)`,
  `inner_product(${kind}, ${kind})`,
  `l1_distance(${kind}, ${kind})`,
  `l2_distance(${kind}, ${kind})`,
  `l2_normalize(${kind})`,
  `subvector(${kind}, integer, integer)`,
  `vector_dims(${kind})`,
  `avg(${kind})`,
  `sum(${kind})`,
]);

const ALL = ["vector", "halfvec", "sparsevec"].flatMap((kind) => [
  `${kind}_in(cstring, oid, integer)`,
  `${kind}_out(${kind})`,
  `${kind}_recv(internal, oid, integer)`,
  `${kind}_send(${kind})`,
  `${kind}_typmod_in(cstring[])`,
  `${kind}_cmp(${kind}, ${kind})`,
  ...["eq", "ge", "gt", "le", "lt", "ne"].map((name) => `${kind}_${name}(${kind}, ${kind})`),
]);

/** Every function and aggregate of the extension. */
export const VECTOR_SIGNATURES: readonly string[] = [
  ...DENSE,
  ...ALL,
  "array_to_sparsevec(double precision[], integer, boolean)",
  "array_to_sparsevec(integer[], integer, boolean)",
  "array_to_sparsevec(numeric[], integer, boolean)",
  "array_to_sparsevec(real[], integer, boolean)",
  "cosine_distance(sparsevec, sparsevec)",
  "halfvec_to_vector(halfvec, integer, boolean)",
  "hamming_distance(bit, bit)",
  "hnsw_bit_support(internal)",
  "hnsw_halfvec_support(internal)",
  "hnsw_sparsevec_support(internal)",
  "hnswhandler(internal)",
  "inner_product(sparsevec, sparsevec)",
  "ivfflat_bit_support(internal)",
  "ivfflat_halfvec_support(internal)",
  "ivfflathandler(internal)",
  "jaccard_distance(bit, bit)",
  "l1_distance(sparsevec, sparsevec)",
  "l2_distance(sparsevec, sparsevec)",
  "l2_norm(halfvec)",
  "l2_norm(sparsevec)",
  "l2_normalize(sparsevec)",
  "sparsevec(sparsevec, integer, boolean)",
  "sparsevec_l2_squared_distance(sparsevec, sparsevec)",
  "sparsevec_negative_inner_product(sparsevec, sparsevec)",
  "sparsevec_to_halfvec(sparsevec, integer, boolean)",
  "sparsevec_to_vector(sparsevec, integer, boolean)",
  "vector_norm(vector)",
  "vector_to_halfvec(vector, integer, boolean)",
];

/** A signature as pg_dump quotes it. */
export function quoted(schema: string, signature: string): string {
  const [, name, types] = /^(\w+)\((.*)\)$/.exec(signature) ?? [];
  const types_ = (types ?? "")
    .split(", ")
    .map((type) =>
      /^(?:vector|halfvec|sparsevec)$/.test(type) ? `"${schema}"."${type}"` : type === "bit" ? "bit" : type,
    );
  return `"${schema}"."${name}"(${types_.join(", ")})`;
}
