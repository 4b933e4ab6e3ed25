/** Owns what the page may see of the configuration: each value in force with its origin, and of secrets nothing. */
import type { Config } from "../../../../src/config/config.ts";
import { configSchema } from "../../../../src/config/schema.ts";
import { isRecord } from "../../../../src/core/record.ts";
import type { ConfigValue } from "../api.ts";

export const MASK = "••••••";
/** Sections whose values are secrets whatever their names are. */
const SECRET_SECTION = /^(?:edge_runtime\.secrets|db\.vault|auth\.sms\.test_otp|functions\.[^.]+\.env)\./;
const SECRET_NAME = /(?:secret|pass|password|token|credential|private|_sid|(?:^|_)key)s?$/i;
const PUBLIC = "auth.publishable_key";
/** A password in an address, and values of its query. */
const IN_ADDRESS = /(?<=\/\/)[^/?#\s]*@|(?<=[?&][^=&#\s]*=)[^&#\s]*/g;
const UNITS: readonly (readonly [name: RegExp, unit: string])[] = [
  [/(?:max_frequency|timebox|inactivity_timeout)$/, " ms"],
  [/file_size_limit$/, " bytes"],
];

export function configValues(config: Config): ConfigValue[] {
  return Object.keys(configSchema.shape).flatMap((section) =>
    valuesOf(config, section, config[section as keyof typeof configSchema.shape]),
  );
}

function valuesOf({ origins, ...config }: Config, path: string, value: unknown): ConfigValue[] {
  if (value === undefined) return [];
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, one]) =>
      valuesOf({ ...config, origins }, `${path}.${key}`, one),
    );
  const { line, variable, moved } = origins.get(path) ?? {};
  const text = shown(path, value, variable !== undefined);
  return [{ key: path, file: config.file, value: text, line, variable, moved }];
}

/** A text that a variable sets is masked as well: people keep out of the file what others should not read. */
function shown(path: string, value: unknown, byEnv: boolean): string {
  const text = typeof value === "string" || Array.isArray(value);
  const secret = SECRET_SECTION.test(path) || (SECRET_NAME.test(path) && path !== PUBLIC);
  if (text && value.length > 0 && (secret || byEnv)) return MASK;
  const unit = UNITS.find(([name]) => name.test(path))?.[1] ?? "";
  return JSON.stringify(value).replace(IN_ADDRESS, MASK) + unit;
}
