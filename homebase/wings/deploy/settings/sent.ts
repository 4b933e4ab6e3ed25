/** Owns which of config.toml's settings a deploy sends. */
import { resolve } from "node:path";
import type { Config, RemoteConfig } from "../../../src/config/config.ts";
import { type HostedSetting, readPath } from "../../../src/config/hosted/management-settings.ts";

/** The settings that the file declares, without those of disabled sections, e.g. a provider's placeholder client id. */
export function sentSettings(
  { config, declared }: RemoteConfig,
  settings: readonly HostedSetting[],
): HostedSetting[] {
  return settings.filter(({ path }) => readPath(declared, path) !== undefined && !isDisabled(config, path));
}

/** The file that a setting names: template paths are relative to the project, notification paths to supabase/. */
export function namedFile({ projectFolder, supabaseFolder }: Config, path: string, file: string): string {
  return resolve(path.includes(".template.") ? projectFolder : supabaseFolder, file);
}

/** Sections whose other settings count only when they are enabled. */
const SECTION =
  /^(auth\.(?:email\.(?:smtp|notification\.\w+)|external\.\w+|hook\.\w+|captcha))\.(?!enabled$)/;

function isDisabled({ auth }: Config, path: string): boolean {
  if (!auth.enabled && path.startsWith("auth.")) return true;
  if (path.startsWith("auth.webauthn.")) {
    const { enroll_enabled, verify_enabled } = auth.mfa.web_authn;
    return !(auth.passkey.enabled || enroll_enabled || verify_enabled);
  }
  const section = SECTION.exec(path)?.[1];
  return section !== undefined && readPath({ auth }, `${section}.enabled`) === false;
}
